/**
 * Fault injection for the tests of Hazelgrad and of applications. It has no effect until a test
 * adds a rule.
 */
@NullMarked
package io.hazelgrad.grid.fault;

import org.jspecify.annotations.NullMarked;
