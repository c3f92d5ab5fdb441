/** System tests of the thin client. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.client;
