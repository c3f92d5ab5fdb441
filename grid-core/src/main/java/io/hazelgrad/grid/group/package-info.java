/** Meetings of workers, calls by role, and shutdown in good order. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.group;
