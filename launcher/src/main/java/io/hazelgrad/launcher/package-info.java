/**
 * The start of workers: one in this process by {@code hazelgrad member}, or several in processes of
 * their own on this machine. Start at {@link io.hazelgrad.launcher.LocalCluster}.
 */
@NullMarked
package io.hazelgrad.launcher;

import org.jspecify.annotations.NullMarked;
