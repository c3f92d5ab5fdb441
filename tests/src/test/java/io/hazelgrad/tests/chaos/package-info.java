/** Random work beside random failures. */
@NullMarked
package io.hazelgrad.tests.chaos;

import org.jspecify.annotations.NullMarked;
