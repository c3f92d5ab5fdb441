/** The benchmarks of {@code hazelgrad bench}, between processes of one machine. */
@NullMarked
package io.hazelgrad.bench;

import org.jspecify.annotations.NullMarked;
