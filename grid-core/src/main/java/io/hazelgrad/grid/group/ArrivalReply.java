package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a leader answers to an arrival. It travels as a list of plain values.
 *
 * @param kind which answer
 * @param workers whom it is about, by id: for DONE who met, else who was missing, lost, ...
 * @param others for MISSING, who had come but gave up before
 * @param offers for DONE, the numbers of the values that {@code workers} brought
 * @param version for OUTDATED, the version that another worker came with
 */
record ArrivalReply(
    Kind kind, List<Worker> workers, List<Worker> others, List<Long> offers, long version) {
  /** The answers. */
  enum Kind {
    /** All have come. */
    DONE,
    /** Another worker leads this meeting: ask anew. */
    MOVED,
    /** The deadline passed. */
    MISSING,
    /** Members were lost. */
    LOST,
    /** Members have left. */
    LEFT,
    /** The worker is waiting in this round already. */
    TWICE,
    /** The list of members is older than that of others. */
    OUTDATED,
    /** Another worker came with other members in a list of the same version. */
    OTHER_MEMBERS,
    /** Two workers of one name came: the older one is about to be found lost. */
    REPLACED
  }

  static ArrivalReply of(Kind kind, List<Worker> workers) {
    return new ArrivalReply(kind, workers, List.of(), List.of(), 0);
  }

  static ArrivalReply done(List<Arrival> all) {
    return new ArrivalReply(
        Kind.DONE,
        all.stream().map(Arrival::worker).toList(),
        List.of(),
        all.stream().map(Arrival::offer).toList(),
        0);
  }

  static ArrivalReply missing(List<Worker> missing, List<Worker> gaveUp) {
    return new ArrivalReply(Kind.MISSING, missing, gaveUp, List.of(), 0);
  }

  static ArrivalReply outdated(long newer) {
    return new ArrivalReply(Kind.OUTDATED, List.of(), List.of(), List.of(), newer);
  }

  List<@Nullable Object> write() {
    return new ArrayList<>(List.of(kind.name(), workers, others, offers, version));
  }

  static ArrivalReply read(List<?> parts) {
    try {
      return new ArrivalReply(
          Kind.valueOf((String) parts.get(0)),
          all(parts.get(1), Worker.class),
          all(parts.get(2), Worker.class),
          all(parts.get(3), Long.class),
          (Long) parts.get(4));
    } catch (RuntimeException e) {
      throw new GridException(Status.BAD_VALUE, "the answer of a leader is damaged: " + parts, e);
    }
  }

  static <T> List<T> all(@Nullable Object values, Class<T> type) {
    return ((List<?>) Objects.requireNonNull(values)).stream().<T>map(type::cast).toList();
  }

  /** Returns why a worker did not get through. */
  GridException failure(RendezvousId meeting, long ownVersion, String within) {
    String text =
        switch (kind) {
          case DONE, MOVED -> throw new IllegalStateException("no failure: " + this);
          case MISSING -> missing(within);
          case LOST, REPLACED ->
              (workers.size() == 1 ? "worker " : "workers ") + names(workers) + was() + "lost";
          case LEFT ->
              (workers.size() == 1 ? "worker " : "workers ")
                  + names(workers)
                  + (workers.size() == 1 ? " has left" : " have left");
          case TWICE -> "this worker is waiting in it already; give rounds that overlap other keys";
          case OUTDATED ->
              "this worker came with version "
                  + ownVersion
                  + " of the list, another one with version "
                  + version
                  + ": take the newer list and come again";
          case OTHER_MEMBERS ->
              "another worker came with other members in version " + ownVersion + " of the list";
        };
    return new GridException(status(), meeting + ": " + text, false, null, null);
  }

  private String missing(String within) {
    String late = "workers " + names(workers) + " did not arrive within " + within;
    String gone = "workers " + names(others) + " gave up before";
    if (workers.isEmpty()) {
      return others.isEmpty() ? "it was not over within " + within : gone;
    }
    return others.isEmpty() ? late : late + "; " + gone;
  }

  private String was() {
    return workers.size() == 1 ? " was " : " were ";
  }

  private Status status() {
    return switch (kind) {
      case DONE, MOVED -> Status.INTERNAL;
      case MISSING -> Status.TIMEOUT;
      case LOST, LEFT, REPLACED -> Status.WORKER_LOST;
      case TWICE, OUTDATED, OTHER_MEMBERS -> Status.BAD_ARGUMENT;
    };
  }

  private static List<String> names(List<Worker> workers) {
    return workers.stream().map(Worker::name).sorted().toList();
  }
}
