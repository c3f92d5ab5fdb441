/** The trainings that benchmarks time, as each worker runs them. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.bench.training;
