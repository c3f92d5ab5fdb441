/** The steps of a training job: their rows, and when they were made. */
@NullMarked
package io.hazelgrad.autograd.internal.jobs.steps;

import org.jspecify.annotations.NullMarked;
