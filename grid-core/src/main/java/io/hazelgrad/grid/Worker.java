package io.hazelgrad.grid;

import java.util.UUID;

/**
 * A named member that runs calls. A value: it travels in calls and can be a map key.
 *
 * @param name its name, unique among the living workers
 * @param id a number that no other worker, before or after, ever has
 * @param incarnation the UUID of its Hazelcast member
 */
public record Worker(String name, long id, UUID incarnation) {}
