/** Random work during random failures. */
@NullMarked
package io.hazelgrad.tests.chaos;

import org.jspecify.annotations.NullMarked;
