/** Fault injection for tests. It has no effect until a test adds a rule. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.fault;
