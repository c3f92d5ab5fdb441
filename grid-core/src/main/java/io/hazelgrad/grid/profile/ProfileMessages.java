package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.Trace;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adds the profiler's data to the messages of recorded calls: the event's number and the wanted
 * details to a request, the callee's events to its reply. It is decided once whether a call is
 * recorded, when its request departs or arrives. All later steps look for the attached {@link
 * OutgoingCallRecorder} or {@link ServedCallRecorder}.
 */
record ProfileMessages(Profiler profiler) implements CallInterceptor {
  private static final int HEADER = 30;

  @Override
  public int header() {
    return HEADER;
  }

  @Override
  public void departing(Outgoing message, List<@Nullable Object> values) {
    if (!message.isRequest()) {
      return;
    }
    ThreadBinding binding = ThreadBinding.currentThread();
    if (binding == null && !profiler.recordsEverything()) {
      return;
    }
    List<Profile> profiles =
        profiler.withEverything(binding == null ? List.of() : binding.profiles).stream()
            .filter(Profile::begin)
            .toList();
    if (!profiles.isEmpty()) {
      EventId parent = binding == null ? null : binding.current();
      message.attach(
          OutgoingCallRecorder.class,
          new OutgoingCallRecorder(message, profiler.nextId(), parent, profiles, values));
    }
  }

  @Override
  public void departed(Outgoing message, WireOutput header) {
    Incoming request = message.inReplyTo();
    if (request == null) {
      OutgoingCallRecorder calling = message.attachment(OutgoingCallRecorder.class);
      if (calling != null) {
        calling.departed();
        header.int8(toBits(calling.details)).varint(calling.id.number());
      }
    } else {
      ServedCallRecorder serving = request.attachment(ServedCallRecorder.class);
      if (serving != null) {
        serving.writeEvents(header);
      }
    }
  }

  @Override
  public void arriving(Incoming message, @Nullable WireInput header) {
    Outgoing request = message.request();
    if (request != null) {
      OutgoingCallRecorder calling = request.attachment(OutgoingCallRecorder.class);
      if (calling != null) {
        calling.arrived(message.bytes(), header);
      }
    } else if (header != null || profiler.recordsEverything()) {
      Set<Detail> details = header == null ? Set.of() : ofBits(header.int8());
      EventId caller =
          header == null ? null : new EventId(message.call().id().caller(), header.varint());
      message.attach(
          ServedCallRecorder.class, new ServedCallRecorder(profiler, message, caller, details));
    }
  }

  @Override
  public Scope enter(Incoming request) {
    ServedCallRecorder serving = request.attachment(ServedCallRecorder.class);
    Trace.Recorder outer = Trace.recorder();
    if (serving == null && outer == null) {
      return Scope.NONE;
    }
    // The recordings of the thread itself do not include this call.
    var unused = Trace.bind(serving == null ? null : serving.bind());
    return () -> {
      var unusedRecorder = Trace.bind(outer);
    };
  }

  @Override
  public void resolved(Incoming request, List<@Nullable Object> arguments) {
    ServedCallRecorder serving = request.attachment(ServedCallRecorder.class);
    if (serving != null) {
      serving.begin(arguments);
    }
  }

  @Override
  public @Nullable Object returned(Incoming request, @Nullable Object result) {
    end(request, null);
    return result;
  }

  @Override
  public boolean threw(Incoming request, GridException failure) {
    end(request, failure.status());
    return false;
  }

  private static void end(Incoming request, @Nullable Status failure) {
    ServedCallRecorder serving = request.attachment(ServedCallRecorder.class);
    if (serving != null) {
      serving.end(failure);
    }
  }

  @Override
  public void over(Outgoing message, @Nullable GridException failure) {
    OutgoingCallRecorder calling =
        message.isRequest() ? message.attachment(OutgoingCallRecorder.class) : null;
    if (calling != null) {
      calling.over(failure);
    }
  }

  private static int bit(Detail detail) {
    return switch (detail) {
      case SHAPES -> 1;
      case MEMORY -> 2;
      case DEVICES -> 4;
    };
  }

  private static int toBits(Set<Detail> details) {
    return details.stream().mapToInt(ProfileMessages::bit).sum();
  }

  private static Set<Detail> ofBits(int bits) {
    EnumSet<Detail> details = EnumSet.allOf(Detail.class);
    details.removeIf(detail -> (bits & bit(detail)) == 0);
    return details;
  }
}
