/** Remote references between workers of one JVM. */
@NullMarked
package io.hazelgrad.tests.group;

import org.jspecify.annotations.NullMarked;
