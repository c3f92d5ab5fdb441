package io.hazelgrad.grid.waits;

/**
 * One thing that something waits for.
 *
 * @param worker the name of the worker where it is
 * @param id its {@link Wait#id} in the report of that worker
 */
public record Need(String worker, String id) {}
