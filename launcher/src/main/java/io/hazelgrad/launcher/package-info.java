/**
 * The start of a worker in this process or of a {@link io.hazelgrad.launcher.LocalCluster} of
 * processes.
 */
@NullMarked
package io.hazelgrad.launcher;

import org.jspecify.annotations.NullMarked;
