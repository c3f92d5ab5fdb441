/**
 * The tests of torch.distributed.rpc on our grid. The annotation {@code PeerTest} names the peer's
 * tests, and {@code docs/conformance.md} lists all of them.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.conformance;
