/** The test kit: a cluster of JVMs that a test starts, kills, pauses, cuts and heals. */
@NullMarked
package io.hazelgrad.testkit;

import org.jspecify.annotations.NullMarked;
