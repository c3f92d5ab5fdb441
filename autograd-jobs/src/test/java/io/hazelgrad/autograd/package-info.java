/** Tests of differentiation that need no grid. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd;
