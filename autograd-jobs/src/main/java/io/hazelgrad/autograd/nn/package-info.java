/**
 * Modules: what holds parameters and computes with them. Start at {@link
 * io.hazelgrad.autograd.nn.Module}; one on another worker is a {@link
 * io.hazelgrad.autograd.nn.RemoteModule}.
 */
@NullMarked
package io.hazelgrad.autograd.nn;

import org.jspecify.annotations.NullMarked;
