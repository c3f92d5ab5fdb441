/** The steps of a training job: which rows they have, and which times they take. */
@NullMarked
package io.hazelgrad.autograd.internal.jobs.steps;

import org.jspecify.annotations.NullMarked;
