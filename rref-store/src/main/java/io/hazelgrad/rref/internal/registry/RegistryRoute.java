package io.hazelgrad.rref.internal.registry;

import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import java.util.concurrent.CompletableFuture;

/** Carries commands to the member that keeps the entry. A member and a client have one each. */
public interface RegistryRoute {
  /**
   * Sends a command without waiting.
   *
   * @param isAwaited whether somebody waits for the reply; any other command may wait for more
   * @return the code of a {@link CommandReply}
   */
  CompletableFuture<Integer> send(RRefId id, Command command, boolean isAwaited);
}
