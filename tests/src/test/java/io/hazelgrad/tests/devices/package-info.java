/** System tests of tensors on several devices. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.devices;
