/** The trainers and the written status of trainings, and how they go on after a loss. */
@NullMarked
package io.hazelgrad.autograd.internal.jobs.lifecycle;

import org.jspecify.annotations.NullMarked;
