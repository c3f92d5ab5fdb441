package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.Arguments;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientBatch;
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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls between the hosts of an attempt. Threads: safe. */
class HostCalls {
  private static final Logger LOG = LoggerFactory.getLogger(HostCalls.class);

  static final String BEGIN = "autograd.pass.begin";
  static final String GRADIENTS = "autograd.pass.gradients";
  static final String ENDED = "autograd.pass.ended";
  static final String STOP = "autograd.pass.stop";

  /** The time by which a call may outlast its pass. */
  static final Duration GRACE = Duration.ofMillis(500);

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final GridContext grid;
  private final ServiceCaller caller;

  /** Creates the calls of a host; {@code caller} sends the batches of gradients. */
  HostCalls(GridContext grid, ServiceCaller caller) {
    this.grid = grid;
    this.caller = caller;
  }

  /** Begins a host's part, with the first gradients for it if there are any. */
  CompletableFuture<List<@Nullable Object>> sendBegin(
      AttemptRequest request,
      PassSpec spec,
      int wave,
      long host,
      List<GradientMessage> messages,
      long deadlineNanos) {
    WireOutput head = new WireOutput();
    AttemptRequest.writeRelays(request.relays(), head);
    long left = Math.max(1, deadlineNanos - System.nanoTime());
    head.int64(left);
    spec.write(head);
    head.varint(wave);
    return send(host, BEGIN, GradientBatch.write(head, messages), left);
  }

  /** Sends gradients; returns the reply. */
  CompletableFuture<List<@Nullable Object>> sendGradients(
      PassId pass, int wave, long host, List<GradientMessage> messages, long deadlineNanos) {
    WireOutput head = new WireOutput();
    pass.write(head);
    head.varint(wave);
    long left = Math.max(1, deadlineNanos - System.nanoTime());
    return send(host, GRADIENTS, GradientBatch.write(head, messages), left);
  }

  /** Calls with a timeout longer than the pass, because its own error says more. */
  private CompletableFuture<List<@Nullable Object>> send(
      long host, String service, List<@Nullable Object> batch, long left) {
    return caller.call(worker(host), service, batch, Duration.ofNanos(left).plus(GRACE));
  }

  /** Reports the outcome of a host's part to the coordinator; retried if it fails. */
  void reportEnd(PassId pass, long coordinator, AttemptOutcome outcome) {
    WireOutput out = new WireOutput();
    pass.write(out);
    outcome.write(out);
    tell(coordinator, ENDED, out);
  }

  /** Tells a host that an attempt has ended; retried if it fails. */
  void stop(PassId pass, long host) {
    WireOutput out = new WireOutput();
    pass.write(out);
    tell(host, STOP, out);
  }

  private void tell(long host, String service, WireOutput argument) {
    List<@Nullable Object> arguments = Arguments.of(argument);
    var unused =
        grid.retrying(() -> grid.<@Nullable Object>call(worker(host), service, arguments, DEADLINE))
            .exceptionally(
                failure -> {
                  LOG.debug("{} did not reach {}", service, name(host), failure);
                  return null;
                });
  }

  /** Returns the worker of a host; WORKER_LOST if it has left. */
  Worker worker(long id) {
    Worker worker = grid.directory().byId(id);
    if (worker == null) {
      throw new GridException(Status.WORKER_LOST, "worker " + name(id) + " has left the grid");
    }
    return worker;
  }

  /** Returns a host's name, or its id if the name is not known. */
  String name(long host) {
    return Objects.requireNonNullElse(grid.directory().nameOf(host), "id " + host);
  }
}
