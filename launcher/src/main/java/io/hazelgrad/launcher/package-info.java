/**
 * The start of a worker in this process or of a {@link io.hazelgrad.launcher.LocalCluster} of
 * processes.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.launcher;
