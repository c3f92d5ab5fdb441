/** Training on several workers: data parallel and pipelines. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.parallel;
