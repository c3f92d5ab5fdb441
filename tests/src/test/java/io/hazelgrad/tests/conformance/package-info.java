/**
 * The tests of torch.distributed.rpc, on our grid. Methods carry the peer's test names, and {@code
 * docs/conformance.md} lists all of them.
 */
@NullMarked
package io.hazelgrad.tests.conformance;

import org.jspecify.annotations.NullMarked;
