/** System tests of large tensors between workers. */
@NullMarked
package io.hazelgrad.tests.plane;

import org.jspecify.annotations.NullMarked;
