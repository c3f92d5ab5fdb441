/** System tests of the thin client. */
@NullMarked
package io.hazelgrad.tests.client;

import org.jspecify.annotations.NullMarked;
