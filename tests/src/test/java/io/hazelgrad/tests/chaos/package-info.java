/** Random work during random failures. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.chaos;
