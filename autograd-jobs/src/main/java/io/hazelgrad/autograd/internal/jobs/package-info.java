/** Training jobs as jobs of Jet: a sequencer deals steps to trainers, which keep the state. */
@NullMarked
package io.hazelgrad.autograd.internal.jobs;

import org.jspecify.annotations.NullMarked;
