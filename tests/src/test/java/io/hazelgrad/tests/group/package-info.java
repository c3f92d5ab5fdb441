/** System tests of groups and of shutdown. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.group;
