/** System tests of groups and of shutdown. */
@NullMarked
package io.hazelgrad.tests.group;

import org.jspecify.annotations.NullMarked;
