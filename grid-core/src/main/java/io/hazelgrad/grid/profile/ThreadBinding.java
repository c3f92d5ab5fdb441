package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The profiles of a thread, or of a function that it runs for a recorded call. Used by it only. */
final class ThreadBinding implements Trace.Recorder {
  private final Profiler profiler;
  private final boolean isOfCall;
  private final Trace.@Nullable Recorder outer;
  final List<Profile> profiles;

  /** The event that is the parent of the next one. */
  private @Nullable EventId current;

  private ThreadBinding(
      Profiler profiler,
      boolean isOfCall,
      Trace.@Nullable Recorder outer,
      List<Profile> profiles,
      @Nullable EventId current) {
    this.profiler = profiler;
    this.isOfCall = isOfCall;
    this.outer = outer;
    this.profiles = new ArrayList<>(profiles);
    this.current = current;
  }

  /** Returns the binding of a thread that runs the function of a call; the call ends it. */
  static ThreadBinding ofCall(Profiler profiler, List<Profile> profiles, EventId function) {
    return new ThreadBinding(profiler, true, null, profiles, function);
  }

  /** Adds a profile to this thread. */
  static void bind(Profiler profiler, Profile profile) {
    Trace.Recorder outer = Trace.recorder();
    if (outer instanceof ThreadBinding binding && binding.profiler == profiler) {
      binding.profiles.removeIf(Profile::isClosed);
      binding.profiles.add(profile);
    } else {
      var unused = Trace.bind(new ThreadBinding(profiler, false, outer, List.of(profile), null));
    }
  }

  /** Removes closed profiles from this thread; those of another thread stay until its next one. */
  static void unbindClosed() {
    ThreadBinding binding = currentThread();
    if (binding != null) {
      binding.profiles.removeIf(Profile::isClosed);
      if (binding.profiles.isEmpty() && !binding.isOfCall) {
        var unused = Trace.bind(binding.outer);
      }
    }
  }

  static @Nullable ThreadBinding currentThread() {
    return Trace.recorder() instanceof ThreadBinding binding ? binding : null;
  }

  @Nullable EventId current() {
    return current;
  }

  @Override
  public Trace.Span begin(String name, boolean isOperation, List<Tensor> inputs) {
    return profiles.isEmpty() ? Trace.Span.NONE : new Open(name, isOperation, inputs);
  }

  private final class Open implements Trace.Span {
    private final EventId id = profiler.nextId();
    private final @Nullable EventId parent = current;
    private final String name;
    private final Event.Kind kind;
    private final List<String> shapes;
    private final long allocated;
    private final DeviceTime deviceTime;
    private final long start;
    private boolean ended;

    Open(String name, boolean isOperation, List<Tensor> inputs) {
      this.name = name;
      kind = isOperation ? Event.Kind.OPERATION : Event.Kind.SCOPE;
      Set<Detail> details = Profile.details(profiles);
      shapes = Event.shapesOf(inputs, details);
      allocated = AllocationCounter.now(details);
      deviceTime = isOperation ? DeviceTime.of(inputs, details) : DeviceTime.NONE;
      current = id;
      start = System.nanoTime();
    }

    @Override
    public void close() {
      if (ended) {
        return;
      }
      ended = true;
      long deviceNanos = deviceTime.nanos();
      long duration = System.nanoTime() - start;
      // Another thread that closes it leaves the parent as it is.
      if (Trace.recorder() == ThreadBinding.this) {
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
              deviceNanos,
              shapes,
              null);
      profiles.forEach(profile -> profile.add(event));
    }
  }
}
