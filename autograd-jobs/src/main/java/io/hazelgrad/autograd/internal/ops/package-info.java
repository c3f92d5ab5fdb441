/** Operations of the catalogue on elements and shapes. Start at {@link AbstractOperation}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.ops;
