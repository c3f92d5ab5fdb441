/** Parts that backends of all devices share: see {@link io.hazelgrad.autograd.ops.Backend}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.spi;
