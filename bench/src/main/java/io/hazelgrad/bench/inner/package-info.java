/** Benchmarks of inner costs, run by JMH in a JVM of their own. */
@NullMarked
package io.hazelgrad.bench.inner;

import org.jspecify.annotations.NullMarked;
