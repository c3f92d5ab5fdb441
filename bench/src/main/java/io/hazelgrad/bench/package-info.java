/** The benchmarks of {@code hazelgrad bench}, between processes of one machine. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.bench;
