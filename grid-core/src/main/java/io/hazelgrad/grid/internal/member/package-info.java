/** The directories of workers and clients, and the checks of a member's configuration. */
@NullMarked
package io.hazelgrad.grid.internal.member;

import org.jspecify.annotations.NullMarked;
