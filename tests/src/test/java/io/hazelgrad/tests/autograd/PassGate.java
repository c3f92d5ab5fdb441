package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Functions that stop backward passes on a worker of another JVM until the test opens the gate. */
@RemoteFunctions
public final class PassGate {
  private static volatile CountDownLatch reached = new CountDownLatch(1);
  private static volatile CountDownLatch open = new CountDownLatch(1);

  /** Context that {@link #originate} has opened; it is never closed. */
  @SuppressWarnings("unused") // Held, so that it lives as long as its worker.
  private static volatile @Nullable Context originated;

  private PassGate() {}

  /** Multiplies like {@link GradientFunctions#times}. A pass waits here until the gate is open. */
  public static Variable times(Variable x) {
    Variable y = GradientFunctions.times(x);
    y.hook(
        gradient -> {
          reached.countDown();
          await();
          return gradient;
        });
    return y;
  }

  private static void await() {
    try {
      if (!open.await(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the gate stayed closed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether a pass has reached the gate. */
  public static boolean isReached() {
    return reached.getCount() == 0;
  }

  /** Opens the gate. */
  public static void open() {
    open.countDown();
  }

  /** Closes the gate again. */
  public static void reset() {
    open.countDown();
    reached = new CountDownLatch(1);
    open = new CountDownLatch(1);
  }

  /**
   * Returns the number of contexts and passes on the called worker, less those of the call itself.
   */
  public static int left(int ofTheCall) {
    Autograd autograd = Autograd.on(Grid.current());
    return autograd.contextCount() + autograd.passCount() - ofTheCall;
  }

  /** Opens a context that stays open, with calls to other workers and a pass in it. */
  public static void originate(String to, String further) {
    Autograd autograd = Autograd.on(Grid.current());
    Context context = autograd.open();
    originated = context;
    Variable x = Fixture.input(1);
    Variable y = Grid.current().rpc().sync(to, GradientFunctions::hop, List.of(further), x);
    context.backward(true, y.sum());
  }

  /** Opens a context and runs a pass in it that waits at this gate, which stays closed. */
  public static void originateHeld(String to) {
    Autograd autograd = Autograd.on(Grid.current());
    try (Context context = autograd.open()) {
      context.backward(
          Grid.current().rpc().sync(to, GradientFunctions::times, times(Fixture.input(1))).sum());
    }
  }
}
