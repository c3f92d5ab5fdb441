/** The health of a worker, as a record and optionally by HTTP. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.health;
