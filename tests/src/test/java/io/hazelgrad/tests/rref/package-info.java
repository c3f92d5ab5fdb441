/** System tests of remote references. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.rref;
