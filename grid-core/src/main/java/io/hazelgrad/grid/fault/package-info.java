/** Fault injection for tests. It has no effect until a test adds a rule. */
@NullMarked
package io.hazelgrad.grid.fault;

import org.jspecify.annotations.NullMarked;
