/** Meetings of workers, calls by role, and shutdown in good order. */
@NullMarked
package io.hazelgrad.grid.group;

import org.jspecify.annotations.NullMarked;
