/** The rows of the steps of a training job. */
@NullMarked
package io.hazelgrad.autograd.internal.jobs.steps;

import org.jspecify.annotations.NullMarked;
