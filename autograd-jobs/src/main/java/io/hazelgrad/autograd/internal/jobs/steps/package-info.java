/** The steps of a training job: their rows, when they were made, and an inbox of a source. */
@NullMarked
package io.hazelgrad.autograd.internal.jobs.steps;

import org.jspecify.annotations.NullMarked;
