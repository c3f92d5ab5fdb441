/** Histories of operations, and the check that they are linearizable. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.history;
