/** Tests of training on several workers that need no grid. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.parallel;
