/**
 * Calls as tasks of Hazelcast's executors: the transport that needs only Hazelcast's public API.
 */
@NullMarked
package io.hazelgrad.grid.internal.tasks;

import org.jspecify.annotations.NullMarked;
