/** Graphs, between workers. */
@NullMarked
package io.hazelgrad.tests.graphs;

import org.jspecify.annotations.NullMarked;
