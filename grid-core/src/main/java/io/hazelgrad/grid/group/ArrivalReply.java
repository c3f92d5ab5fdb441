package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a leader to an arrival. It travels as a list of plain values.
 *
 * @param kind the kind of answer
 * @param workers the workers that it names, by id: for DONE the participants, otherwise those that
 *     were missing, lost and so on
 * @param others for MISSING, the workers that had arrived but gave up before
 * @param offers for DONE, the numbers of the values that {@code workers} offer
 * @param version for OUTDATED, the newer version of the list
 */
record ArrivalReply(
    Kind kind, List<Worker> workers, List<Worker> others, List<Long> offers, long version) {
  /** The kinds of answers. Their names travel. */
  enum Kind {
    /** All members have arrived. */
    DONE,
    /** Another worker leads this rendezvous: ask again. */
    MOVED,
    /** The deadline passed. */
    MISSING,
    /** Members were lost. */
    LOST,
    /** Members have left. */
    LEFT,
    /** The worker already waits in this round. */
    TWICE,
    /** The worker's list of members is older than that of another one. */
    OUTDATED,
    /** Another worker arrived with other members in a list of the same version. */
    OTHER_MEMBERS,
    /** Two workers of one name arrived. The older one will be found lost soon. */
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
      throw new GridException(
          Status.BAD_VALUE, "the answer of the leader of a rendezvous is damaged: " + parts, e);
    }
  }

  static <T> List<T> all(@Nullable Object values, Class<T> type) {
    return ((List<?>) Objects.requireNonNull(values)).stream().<T>map(type::cast).toList();
  }

  /** Returns the error of a worker whose rendezvous did not complete. */
  GridException failure(RendezvousAttempt attempt) {
    String text =
        switch (kind) {
          case DONE, MOVED -> throw new IllegalStateException("no failure: " + this);
          case MISSING -> missing(attempt.within());
          case LOST, REPLACED -> "%s %s %s lost".formatted(subject(), names(workers), was());
          case LEFT -> "%s %s %s left".formatted(subject(), names(workers), has());
          case TWICE ->
              "this worker waits in it already; use different keys for rounds at the same time";
          case OUTDATED ->
              ("this worker has version %s of the list, another one with version "
                      + "%s: use the newer list")
                  .formatted(attempt.version(), version);
          case OTHER_MEMBERS ->
              "another worker has other members in version " + attempt.version() + " of the list";
        };
    return new GridException(status(), attempt.rendezvous() + ": " + text, false, null, null);
  }

  private String missing(String within) {
    String late = "workers " + names(workers) + " did not arrive within " + within;
    String gone = "workers " + names(others) + " gave up before";
    if (workers.isEmpty()) {
      return others.isEmpty() ? "it did not end within " + within : gone;
    }
    return others.isEmpty() ? late : late + "; " + gone;
  }

  private String subject() {
    return workers.size() == 1 ? "worker" : "workers";
  }

  private String was() {
    return workers.size() == 1 ? "was" : "were";
  }

  private String has() {
    return workers.size() == 1 ? "has" : "have";
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
