package io.hazelgrad.grid;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The functions that the tests call. */
@RemoteFunctions
public final class Calls {
  private int total;

  Calls(int total) {
    this.total = total;
  }

  public static double add(double a, double b) {
    return a + b;
  }

  static String describe(String text, int number, List<Object> list) {
    return text + number + list;
  }

  static String overloaded(int number) {
    return "int " + number;
  }

  static String overloaded(String text) {
    return "text " + text;
  }

  public static Object echo(Object value) {
    return value;
  }

  public static int length(String text) {
    return text.length();
  }

  public static void mark(String signal) {
    Signals.named(signal).started.incrementAndGet();
  }

  public static String worker() {
    return Grid.current().worker().name();
  }

  static Worker workerOf(Worker worker) {
    return worker;
  }

  static String askBack(String caller) {
    return Grid.current().rpc().sync(caller, Calls::worker);
  }

  /** Calls to and fro, each call waiting for the next. */
  static int countDown(String other, int depth) {
    Grid here = Grid.current();
    return depth == 0
        ? 0
        : 1 + here.rpc().sync(other, Calls::countDown, here.worker().name(), depth - 1);
  }

  public static String block(String signal) throws InterruptedException {
    Signals.named(signal).started.incrementAndGet();
    Signals.named(signal).awaitRelease();
    return "released";
  }

  /** A value that is written when its signal is released. */
  record Slow(String signal) {
    @Override
    public String signal() {
      Signals.named(signal).started.incrementAndGet();
      try {
        Signals.named(signal).awaitRelease();
      } catch (InterruptedException e) {
        throw new IllegalStateException("the writing was interrupted", e);
      }
      return signal;
    }
  }

  static Slow slow(String signal) {
    return new Slow(signal);
  }

  public static CompletableFuture<String> later(String signal) {
    Signals.named(signal).started.incrementAndGet();
    return Signals.named(signal).answer;
  }

  static CompletionStage<Double> addElsewhere(String to, double a, double b) {
    return Grid.current().rpc().async(to, Calls::add, a, b).thenApply(sum -> sum + 1);
  }

  public static String throwing(String kind) throws Exception {
    switch (kind) {
      case "checked" -> throw new IOException("disk\nfull");
      case "odd" -> throw new OddException(7);
      case "error" -> throw new StackOverflowError("deep");
      case "caused" -> throw new IllegalStateException("outer", new IOException("inner"));
      case "null" -> throw new IllegalStateException();
      case "cast" -> throw new ClassCastException("my own");
      default -> throw new IllegalArgumentException(kind);
    }
  }

  public static Object unsendable() {
    return new Object();
  }

  static Thread.State inherited(Thread.State state) {
    return state;
  }

  public int plus(int more) {
    return total + more;
  }

  @SuppressWarnings("UnusedMethod")
  private static int secret() {
    return 42;
  }

  /** An exception that cannot be made of a message. */
  static final class OddException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OddException(int code) {
      super("code " + code);
    }
  }
}
