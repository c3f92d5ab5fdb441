/** Benchmarks. */
@NullMarked
package io.hazelgrad.bench;

import org.jspecify.annotations.NullMarked;
