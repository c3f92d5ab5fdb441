package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The tensors that this member sends to others, until these have them. Threads: safe. */
final class Outbox {
  private final String name;
  private final List<Worker> members;
  private final CollectiveMessages messages;
  private final Consumer<GridException> onFailure;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong numbers = new AtomicLong();

  /** The messages that others have not confirmed yet, by number. */
  private final Map<Long, CompletableFuture<?>> sending = new ConcurrentHashMap<>();

  /**
   * @param name the name of the collective, for errors
   * @param members the members by rank
   * @param onFailure hears of tensors that did not arrive
   */
  Outbox(
      String name,
      List<Worker> members,
      CollectiveMessages messages,
      Consumer<GridException> onFailure) {
    this.name = name;
    this.members = members;
    this.messages = messages;
    this.onFailure = onFailure;
  }

  /**
   * Sends tensors.
   *
   * @param signature that of the round, or 0 outside rounds
   */
  CompletableFuture<@Nullable Void> send(int to, long tag, long signature, List<Tensor> tensors) {
    tensors.forEach(each -> bytes.addAndGet((long) each.size() * each.dtype().bytes()));
    Worker receiver = members.get(to);
    long number = numbers.getAndIncrement();
    CompletableFuture<@Nullable Void> sent = messages.send(receiver, tag, signature, tensors);
    sending.put(number, sent);
    var unused =
        sent.whenComplete(
            (done, failure) -> {
              sending.remove(number);
              if (failure != null) {
                onFailure.accept(undelivered(receiver, failure));
              }
            });
    return sent;
  }

  private GridException undelivered(Worker receiver, Throwable failure) {
    String text =
        "tensors of collective \"%s\" did not reach worker %s: ".formatted(name, receiver.name());
    Throwable cause = Causes.of(failure);
    return cause instanceof GridException e
        ? new GridException(e.status(), text + e.getMessage(), true, null, e)
        : new GridException(Status.INTERNAL, text + cause, true, null, cause);
  }

  /** Waits until all that was sent has arrived or has failed, which its deadline brings about. */
  void awaitArrivals() {
    sending.values().forEach(each -> each.handle((done, failure) -> done).join());
  }

  long bytes() {
    return bytes.get();
  }
}
