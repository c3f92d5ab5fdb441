package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Worker;

/**
 * The facts of a call that both sides know.
 *
 * @param id its identity
 * @param caller who calls
 * @param callee who is called
 * @param kind what its messages are for
 * @param function what is called, for people
 */
public record CallInfo(
    CallId id, Worker caller, Worker callee, MessageKind kind, String function) {}
