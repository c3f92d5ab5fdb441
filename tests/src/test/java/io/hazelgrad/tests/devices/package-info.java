/** Tensors on several devices, between workers. */
@NullMarked
package io.hazelgrad.tests.devices;

import org.jspecify.annotations.NullMarked;
