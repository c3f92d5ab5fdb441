package io.hazelgrad.rref.internal.registry;

import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import java.util.concurrent.CompletableFuture;

/** Carries commands to the member that keeps the entry. A member and a client have one each. */
public interface RegistryRoute {
  /** Sends a command; returns the {@link CommandReply} code. One that is not awaited may linger. */
  CompletableFuture<Integer> send(RRefId id, Command command, boolean isAwaited);
}
