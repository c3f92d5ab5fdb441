/** System tests of large tensors between workers. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.plane;
