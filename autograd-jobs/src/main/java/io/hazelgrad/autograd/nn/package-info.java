/**
 * Modules, which hold parameters and compute with them. Start at {@link
 * io.hazelgrad.autograd.nn.Module}; a module on another worker is a {@link
 * io.hazelgrad.autograd.nn.RemoteModule}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.nn;
