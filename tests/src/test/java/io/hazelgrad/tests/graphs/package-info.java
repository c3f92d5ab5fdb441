/** System tests of deployed graphs. */
@NullMarked
package io.hazelgrad.tests.graphs;

import org.jspecify.annotations.NullMarked;
