/** The health of a worker, as a record and optionally by HTTP. */
@NullMarked
package io.hazelgrad.grid.health;

import org.jspecify.annotations.NullMarked;
