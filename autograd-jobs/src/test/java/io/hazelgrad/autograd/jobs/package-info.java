/** Tests of data sets, and of what a training program sees of them. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.jobs;
