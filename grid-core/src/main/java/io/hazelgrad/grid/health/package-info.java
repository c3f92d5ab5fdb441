/**
 * Whether a worker can be used now, for whoever watches it: as a record, and over HTTP where that
 * is asked for. Off unless it is.
 */
@NullMarked
package io.hazelgrad.grid.health;

import org.jspecify.annotations.NullMarked;
