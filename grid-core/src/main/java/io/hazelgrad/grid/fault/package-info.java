/**
 * Lets messages go wrong on purpose, for tests: the grid's own and those of applications. Nothing
 * here does anything until a test asks for it.
 */
@NullMarked
package io.hazelgrad.grid.fault;

import org.jspecify.annotations.NullMarked;
