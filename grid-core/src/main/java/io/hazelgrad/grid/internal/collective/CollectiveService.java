package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.CollectiveOptions;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.internal.plane.stream.StreamLinks;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler.Lane;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.waits.Meeting;
import io.hazelgrad.grid.waits.TrainingSteps;
import io.hazelgrad.grid.waits.WaitSources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The collectives that this worker has joined, and the messages between their members. */
final class CollectiveService implements Collectives {
  private static final String PART = "collective.part";
  private static final String END = "collective.end";
  private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

  private final GridContext context;

  /** The memberships by the id of the collective, which no other one ever has. */
  private final ConcurrentMap<String, CollectiveMember> members = new ConcurrentHashMap<>();

  CollectiveService(GridContext context) {
    this.context = context;
    context.handler(PART, Lane.CONTROL, this::arrived);
    context.handler(END, Lane.CONTROL, this::ended);
    context.onLost(worker -> members.values().forEach(each -> each.lost(worker)));
    context.onClose(this::close);
    context.gauge("collective.joined", members::size);
    WaitSources waits = context.service(WaitSources.class);
    waits.addMeetings(this::meetings);
    waits.addSteps(this::steps);
  }

  @Override
  public Collective join(String name, List<String> names, CollectiveOptions options) {
    String self = context.self().name();
    if (new HashSet<>(names).size() < names.size() || !names.contains(self)) {
      throw bad("the members must be distinct, and %s one of them: %s".formatted(self, names));
    }
    if (names.size() > RoundSignature.MOST_MEMBERS) {
      throw bad(
          "a collective has at most %s members, not %s"
              .formatted(RoundSignature.MOST_MEMBERS, names.size()));
    }
    try (Joining joining = new Joining(context, name, List.copyOf(names), options)) {
      String id = joining.agree(context.self());
      Joining.Memory shared = joining.memory(joining.hosts());
      StreamLinks links = context.service(StreamLinks.Source.class).links();
      RingChannels channels = joining.connect(shared.hosts(), links);
      CollectiveMember member =
          new CollectiveMember(
              context,
              name,
              joining.workers(),
              joining.rank(),
              shared,
              channels,
              options,
              new Sender(id, joining.workers(), joining.rank(), options.timeout()),
              closed -> members.remove(id, closed));
      members.put(id, member);
      try {
        joining.finish(); // A worker may be lost between the start of joining and put().
        joining.workers().stream().filter(each -> !isMember(each)).forEach(member::lost);
        return member;
      } catch (RuntimeException e) {
        member.close();
        throw e;
      }
    }
  }

  private boolean isMember(Worker worker) {
    return context.directory().isMember(worker);
  }

  private List<Meeting> meetings() {
    List<Meeting> all = new ArrayList<>();
    members.forEach((id, member) -> all.addAll(member.meetings(id)));
    return all;
  }

  private List<TrainingSteps> steps() {
    return members.values().stream().map(CollectiveMember::steps).filter(Objects::nonNull).toList();
  }

  @Override
  public int joined() {
    return members.size();
  }

  /** Sends the messages of one collective. */
  private final class Sender implements CollectiveMessages {
    private final String id;
    private final List<Worker> workers;
    private final int rank;
    private final Duration timeout;

    Sender(String id, List<Worker> workers, int rank, Duration timeout) {
      this.id = id;
      this.workers = workers;
      this.rank = rank;
      this.timeout = timeout;
    }

    @Override
    public CompletableFuture<@Nullable Void> send(
        Worker to, long tag, long signature, List<Tensor> tensors) {
      return context.tryCall(to, PART, List.of(id, rank, tag, signature, tensors), timeout);
    }

    @Override
    public void tellEnd(GridException why, long rounds) {
      for (Worker each : workers) {
        if (each.id() != context.self().id()) {
          List<@Nullable Object> reason =
              List.of(id, why.status().name(), String.valueOf(why.getMessage()), rounds);
          var unused = context.tryCall(each, END, reason, END_TIMEOUT); // One that left needs none.
        }
      }
    }
  }

  private @Nullable Object arrived(List<@Nullable Object> arguments, Incoming request) {
    if (arguments.size() == 5
        && arguments.get(0) instanceof String id
        && arguments.get(1) instanceof Integer from
        && arguments.get(2) instanceof Long tag
        && arguments.get(3) instanceof Long signature
        && arguments.get(4) instanceof List<?> all
        && all.stream().allMatch(Tensor.class::isInstance)) {
      CollectiveMember member = members.get(id);
      if (member == null) {
        throw new GridException(
            Status.CLOSED, "worker " + context.self().name() + " has closed the collective");
      }
      List<Tensor> tensors = all.stream().map(Tensor.class::cast).toList();
      member.arrived(from, tag, new Inbox.Part(signature, tensors));
      return null;
    }
    throw bad(PART + " takes an id, a rank, a tag, a signature and tensors, got " + arguments);
  }

  private @Nullable Object ended(List<@Nullable Object> arguments, Incoming request) {
    if (arguments.size() == 4
        && arguments.get(0) instanceof String id
        && arguments.get(1) instanceof String status
        && arguments.get(2) instanceof String text
        && arguments.get(3) instanceof Long rounds) {
      CollectiveMember member = members.get(id);
      if (member != null) {
        Status known = Status.byName(status);
        GridException why = new GridException(known == null ? Status.INTERNAL : known, text);
        if (rounds == CollectiveMessages.NO_ROUNDS) {
          var unused = member.endWith(why);
        } else {
          member.left(why, rounds);
        }
      }
      return null;
    }
    throw bad(END + " takes an id, a status, a text and a number, got " + arguments);
  }

  private void close() {
    GridException why = context.ended();
    GridException closed =
        why != null
            ? why
            : new GridException(
                Status.CLOSED, "worker " + context.self().name() + " has left the grid");
    for (CollectiveMember each : members.values()) {
      var unused = each.endWith(closed);
      each.close();
    }
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }
}
