/** Tests of workers that are hosts of their own, over networks that fail. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.hosts;
