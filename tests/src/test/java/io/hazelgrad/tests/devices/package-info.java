/** System tests of tensors on several devices. */
@NullMarked
package io.hazelgrad.tests.devices;

import org.jspecify.annotations.NullMarked;
