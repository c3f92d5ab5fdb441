package io.hazelgrad.grid.internal.serve;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes the requests for a member's worker. */
public interface RequestReceiver {
  /** Returns the receiver of a member, or null if it is no worker. */
  static @Nullable RequestReceiver on(HazelcastInstance hazelcast) {
    return (RequestReceiver) Grid.running(hazelcast);
  }

  /**
   * Takes a request in without blocking. The reply goes to {@code replyTo} once, perhaps before
   * this method returns.
   */
  void receive(Request request, Consumer<Reply> replyTo);
}
