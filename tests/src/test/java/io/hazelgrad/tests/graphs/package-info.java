/** System tests of deployed graphs. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.graphs;
