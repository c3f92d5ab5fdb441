/** Tests of workers that lack memory, time, files or room. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.pressure;
