package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.Trace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one thread does goes to these recordings. A thread gets one when a profile starts on it, and
 * anew for each function that it runs for a recorded call. Threads: used by its own thread only.
 */
final class ThreadBinding implements Trace.Recorder {
  private final Profiler home;
  private final boolean isOfCall;
  private final Trace.@Nullable Recorder outer;
  private final List<ProfileRecording> recordings;

  /** What the thread is doing, the parent of what it does next. */
  private @Nullable EventId current;

  private ThreadBinding(
      Profiler home,
      boolean isOfCall,
      Trace.@Nullable Recorder outer,
      List<ProfileRecording> recordings,
      @Nullable EventId current) {
    this.home = home;
    this.isOfCall = isOfCall;
    this.outer = outer;
    this.recordings = new ArrayList<>(recordings);
    this.current = current;
  }

  /** Makes the binding of a thread that runs the function of a call; the call unbinds it. */
  static ThreadBinding ofCall(Profiler home, List<ProfileRecording> recordings, EventId function) {
    return new ThreadBinding(home, true, null, recordings, function);
  }

  /** Lets this thread record to one more. */
  static ThreadBinding bind(Profiler home, ProfileRecording recording) {
    Trace.Recorder outer = Trace.recorder();
    if (outer instanceof ThreadBinding binding && binding.home == home) {
      binding.removeStopped();
      binding.recordings.add(recording);
      return binding;
    }
    ThreadBinding binding = new ThreadBinding(home, false, outer, List.of(recording), null);
    var unused = Trace.bind(binding);
    return binding;
  }

  /** The recording was stopped; on another thread this does nothing, until the next one starts. */
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

  /** Returns this thread's, or null. */
  static @Nullable ThreadBinding here() {
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

  /** Something that this thread is doing. */
  private final class Open implements Trace.Span {
    private final EventId id = home.nextId();
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
          == ThreadBinding.this) { // Else another thread closes it: it stays what it is.
        current = parent;
      }
      Event event =
          new Event(
              id,
              parent,
              kind,
              "",
              name,
              home.worker().name(),
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
