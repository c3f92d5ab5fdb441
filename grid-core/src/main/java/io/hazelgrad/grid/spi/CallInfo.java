package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Worker;

/** The facts of a call that both sides know, with the name of its function for people. */
public record CallInfo(
    CallId id, Worker caller, Worker callee, MessageKind kind, String function) {}
