package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.Trace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Connects a thread with the recordings of its events. A thread gets a binding when a profile
 * starts on it, and another one for each function that it runs for a recorded call.
 *
 * <p>Threads: used by its own thread only.
 */
final class ThreadBinding implements Trace.Recorder {
  private final Profiler profiler;
  private final boolean isOfCall;
  private final Trace.@Nullable Recorder outer;
  private final List<ProfileRecording> recordings;

  /** The event that is the parent of the next one. */
  private @Nullable EventId current;

  private ThreadBinding(
      Profiler profiler,
      boolean isOfCall,
      Trace.@Nullable Recorder outer,
      List<ProfileRecording> recordings,
      @Nullable EventId current) {
    this.profiler = profiler;
    this.isOfCall = isOfCall;
    this.outer = outer;
    this.recordings = new ArrayList<>(recordings);
    this.current = current;
  }

  /** Returns the binding of a thread that runs the function of a call; the call ends it. */
  static ThreadBinding ofCall(
      Profiler profiler, List<ProfileRecording> recordings, EventId function) {
    return new ThreadBinding(profiler, true, null, recordings, function);
  }

  /** Adds a recording to this thread. */
  static ThreadBinding bind(Profiler profiler, ProfileRecording recording) {
    Trace.Recorder outer = Trace.recorder();
    if (outer instanceof ThreadBinding binding && binding.profiler == profiler) {
      binding.removeStopped();
      binding.recordings.add(recording);
      return binding;
    }
    ThreadBinding binding = new ThreadBinding(profiler, false, outer, List.of(recording), null);
    var unused = Trace.bind(binding);
    return binding;
  }

  /**
   * Removes stopped recordings. On another thread this does nothing; the next profile then does it.
   */
  void unbind() {
    if (Trace.recorder() == this) {
      removeStopped();
      if (recordings.isEmpty() && !isOfCall) {
        var unused = Trace.bind(outer);
      }
    }
  }

  private void removeStopped() {
    recordings.removeIf(ProfileRecording::isStopped);
  }

  /** Returns the binding of this thread, or null. */
  static @Nullable ThreadBinding currentThread() {
    return Trace.recorder() instanceof ThreadBinding binding ? binding : null;
  }

  @Nullable EventId current() {
    return current;
  }

  List<ProfileRecording> recordings() {
    return recordings;
  }

  @Override
  public Trace.Span begin(String name, boolean isOperation, List<Tensor> inputs) {
    return recordings.isEmpty() ? Trace.Span.NONE : new Open(name, isOperation, inputs);
  }

  /** An open operation or scope of this thread. */
  private final class Open implements Trace.Span {
    private final EventId id = profiler.nextId();
    private final @Nullable EventId parent = current;
    private final String name;
    private final Event.Kind kind;
    private final List<String> shapes;
    private final long allocated;
    private final long start;
    private boolean ended;

    Open(String name, boolean isOperation, List<Tensor> inputs) {
      this.name = name;
      kind = isOperation ? Event.Kind.OPERATION : Event.Kind.SCOPE;
      shapes = wants(Detail.SHAPES) ? ArgumentShapes.of(inputs) : List.of();
      allocated =
          wants(Detail.MEMORY)
              ? AllocationCounter.allocatedByThisThread()
              : AllocationCounter.UNKNOWN;
      current = id;
      start = System.nanoTime();
    }

    @Override
    public void close() {
      if (ended) {
        return;
      }
      ended = true;
      long duration = System.nanoTime() - start;
      if (Trace.recorder()
          == ThreadBinding.this) { // Another thread that closes it leaves the parent as it is.
        current = parent;
      }
      Event event =
          new Event(
              id,
              parent,
              kind,
              "",
              name,
              profiler.worker().name(),
              Thread.currentThread().getName(),
              start,
              duration,
              0,
              0,
              0,
              AllocationCounter.since(allocated),
              shapes,
              null);
      recordings.forEach(recording -> recording.add(event));
    }

    private boolean wants(Detail detail) {
      return recordings.stream().anyMatch(recording -> recording.wants(detail));
    }
  }
}
