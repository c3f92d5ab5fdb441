/**
 * System tests of distributed differentiation: each program must give the results of one process.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.autograd;
