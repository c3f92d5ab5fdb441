/** The test kit: grids for tests, whose workers are killed, frozen and cut off. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.testkit;
