/** The rows of the steps of a training job, and the time that they take. */
@NullMarked
package io.hazelgrad.autograd.internal.jobs.steps;

import org.jspecify.annotations.NullMarked;
