package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Tells the recorder of a thread what the thread does. Modules call {@link #operation} around their
 * work; while no thread is recorded that costs one read of a field. Threads: safe.
 */
public final class Trace {
  /** Takes what one thread does. Used by that thread only. */
  public interface Recorder {
    /** Something begins. The inputs are those of an operation, empty for a scope. */
    Span begin(String name, boolean isOperation, List<Tensor> inputs);
  }

  /** Something that has begun. Ending it twice does nothing more. */
  @FunctionalInterface
  public interface Span extends AutoCloseable {
    /** A span that nobody records. */
    Span NONE = () -> {};

    @Override
    void close();
  }

  /** The number of threads that have a recorder. */
  private static final AtomicInteger BOUND = new AtomicInteger();

  private static final ThreadLocal<@Nullable Recorder> RECORDER = new ThreadLocal<>();

  private Trace() {}

  /** Returns this thread's recorder, or null. */
  public static @Nullable Recorder recorder() {
    return BOUND.get() == 0 ? null : RECORDER.get();
  }

  /** Sets this thread's recorder, null for none; returns the one before. */
  public static @Nullable Recorder bind(@Nullable Recorder recorder) {
    Recorder before = RECORDER.get();
    if (recorder == null) {
      RECORDER.remove();
    } else {
      RECORDER.set(recorder);
    }
    if ((before == null) != (recorder == null)) {
      var unused = BOUND.addAndGet(recorder == null ? -1 : 1);
    }
    return before;
  }

  /** An operation on tensors begins on this thread. */
  public static Span operation(String name, List<Tensor> inputs) {
    Recorder recorder = recorder();
    return recorder == null ? Span.NONE : recorder.begin(name, true, inputs);
  }

  /** Some other work begins on this thread. */
  public static Span scope(String name) {
    Recorder recorder = recorder();
    return recorder == null ? Span.NONE : recorder.begin(name, false, List.of());
  }
}
