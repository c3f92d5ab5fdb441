/** Benchmarks of single parts, which use internal packages; JMH runs them in JVMs of their own. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.bench.inner;
