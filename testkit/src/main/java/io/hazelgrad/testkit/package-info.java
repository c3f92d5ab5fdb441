/** The test kit: a cluster of JVMs that a test starts, kills, pauses, cuts and heals. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.testkit;
