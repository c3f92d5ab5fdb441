/**
 * The plan of a backward pass: which messages of a recorded forward pass take part, and in which
 * wave the gradient of each can flow. Everything here is a pure function of recorded structure; it
 * knows neither Hazelcast nor tensors.
 *
 * <p>A <em>message</em> is one request or reply that carried tensors which need gradients. Its send
 * node is on its sender, its recv node on its receiver. Its gradients flow back to the sender.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.plan;
