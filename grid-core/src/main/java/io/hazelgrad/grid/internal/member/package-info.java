/** The directories of workers and clients, and the checks of a member's configuration. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.member;
