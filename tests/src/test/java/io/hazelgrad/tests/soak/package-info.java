/** Long work whose counts stay flat. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.soak;
