/** Benchmarks of single parts, which use internal packages; JMH runs them in JVMs of their own. */
@NullMarked
package io.hazelgrad.bench.inner;

import org.jspecify.annotations.NullMarked;
