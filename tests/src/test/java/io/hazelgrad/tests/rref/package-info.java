/** System tests of remote references. */
@NullMarked
package io.hazelgrad.tests.rref;

import org.jspecify.annotations.NullMarked;
