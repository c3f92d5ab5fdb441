package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.ServiceCaller;
import io.hazelgrad.grid.spi.WireOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What hosts say to each other.
 *
 * <p>Threads: safe.
 */
class HostCalls {
  private static final Logger LOG = LoggerFactory.getLogger(HostCalls.class);

  /** The coordinator begins a host's part, with the first gradients for it if there are any. */
  static final String BEGIN = "autograd.pass.begin";

  static final String GRADIENTS = "autograd.pass.gradients";

  /** A host tells the coordinator that its part has ended. */
  static final String ENDED = "autograd.pass.ended";

  /** The coordinator tells a host that the attempt has ended. */
  static final String STOP = "autograd.pass.stop";

  /** How much longer a call may take than the pass that it is for. */
  static final Duration GRACE = Duration.ofMillis(500);

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final GridContext grid;
  private final ServiceCaller letters;

  /**
   * Makes what a host says.
   *
   * @param letters sends letters with gradients
   */
  HostCalls(GridContext grid, ServiceCaller letters) {
    this.grid = grid;
    this.letters = letters;
  }

  /** Begins a host's part, with the first gradients for it if there are any. */
  CompletableFuture<List<@Nullable Object>> sendBegin(
      AttemptRequest order,
      PassSpec spec,
      int wave,
      long host,
      List<GradientMessage> messages,
      long deadlineNanos) {
    WireOutput head = new WireOutput();
    AttemptRequest.writeRelays(order.relays(), head);
    long left = Math.max(1, deadlineNanos - System.nanoTime());
    head.int64(left);
    spec.write(head);
    head.varint(wave);
    return send(host, BEGIN, GradientBatch.write(head, messages), left);
  }

  /** Sends gradients; the future is the answer. */
  CompletableFuture<List<@Nullable Object>> sendGradients(
      PassId pass, int wave, long host, List<GradientMessage> messages, long deadlineNanos) {
    WireOutput head = new WireOutput();
    pass.write(head);
    head.varint(wave);
    long left = Math.max(1, deadlineNanos - System.nanoTime());
    return send(host, GRADIENTS, GradientBatch.write(head, messages), left);
  }

  /** A little longer than the pass may take: the end of that is the better news. */
  private CompletableFuture<List<@Nullable Object>> send(
      long host, String service, List<@Nullable Object> letter, long left) {
    return letters.call(worker(host), service, letter, Duration.ofNanos(left).plus(GRACE));
  }

  /** Tells the coordinator how a host's part has ended; it is told again if that fails. */
  void tellEnd(PassId pass, long coordinator, AttemptOutcome outcome) {
    WireOutput out = new WireOutput();
    pass.write(out);
    AttemptResult.write(outcome, out);
    tell(coordinator, ENDED, out.toBytes());
  }

  /** Tells a host that an attempt has ended; it is told again if that fails. */
  void stop(PassId pass, long host) {
    WireOutput out = new WireOutput();
    pass.write(out);
    tell(host, STOP, out.toBytes());
  }

  private void tell(long host, String service, byte[] what) {
    List<@Nullable Object> arguments = new ArrayList<>();
    arguments.add(what);
    var unused =
        grid.retrying(() -> grid.<@Nullable Object>call(worker(host), service, arguments, DEADLINE))
            .exceptionally(
                failure -> {
                  LOG.debug("{} did not reach {}", service, name(host), failure);
                  return null;
                });
  }

  /**
   * Returns a host.
   *
   * @throws GridException WORKER_LOST if it has left
   */
  Worker worker(long id) {
    Worker worker = grid.byId(id);
    if (worker == null) {
      throw new GridException(Status.WORKER_LOST, name(id) + " has left the grid");
    }
    return worker;
  }

  /** Returns a host's name, or what is known of it. */
  String name(long host) {
    return Objects.requireNonNullElse(grid.nameOf(host), "worker " + host);
  }
}
