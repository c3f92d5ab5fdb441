/** Remote references between workers of one JVM. */
@NullMarked
package io.hazelgrad.tests.rref;

import org.jspecify.annotations.NullMarked;
