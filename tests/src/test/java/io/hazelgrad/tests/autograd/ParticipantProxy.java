package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.grid.Grid;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Proxy between a worker's pass participant and the scheduler, until it is closed. */
final class ParticipantProxy implements PassParticipant, AutoCloseable {
  private final Grid grid;
  private final PassParticipant real;
  private final UnaryOperator<List<GradientMessage>> change;

  /** Creates a proxy. {@code change} may change or hold the messages that the worker emits. */
  ParticipantProxy(Grid grid, UnaryOperator<List<GradientMessage>> change) {
    this.grid = grid;
    this.change = change;
    this.real =
        (PassParticipant)
            Objects.requireNonNull(grid.hazelcast().getUserContext().put(USER_CONTEXT_KEY, this));
  }

  @Override
  public void close() {
    grid.hazelcast().getUserContext().put(USER_CONTEXT_KEY, real);
  }

  @Override
  public String worker() {
    return real.worker();
  }

  @Override
  public Executor executor() {
    return real.executor();
  }

  @Override
  public void start(PassSpec spec) {
    real.start(spec);
  }

  @Override
  public void deliver(PassId pass, GradientMessage message) {
    real.deliver(pass, message);
  }

  @Override
  public CompletionStage<List<GradientMessage>> advance(PassId pass, int wave) {
    return real.advance(pass, wave).thenApply(change);
  }

  @Override
  public void end(PassId pass, @Nullable Throwable failure) {
    real.end(pass, failure);
  }
}
