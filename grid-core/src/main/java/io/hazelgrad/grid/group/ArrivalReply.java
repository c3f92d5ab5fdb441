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
 * @param workers the participants for DONE, otherwise those that were missing, lost and so on
 * @param others for MISSING, the workers that had arrived but gave up before
 * @param offers for DONE, the numbers of the values that {@code workers} offer
 * @param version for OUTDATED, the newer version of the list
 */
record ArrivalReply(
    Kind kind, List<Worker> workers, List<Worker> others, List<Long> offers, long version) {
  /** The kinds of answers, with the status of their error. Their names travel. */
  enum Kind {
    /** All members have arrived. */
    DONE(Status.INTERNAL),
    /** Another worker leads this rendezvous: ask again. */
    MOVED(Status.INTERNAL),
    /** The deadline passed. */
    MISSING(Status.TIMEOUT),
    /** Members were lost. */
    LOST(Status.WORKER_LOST),
    /** Members have left. */
    LEFT(Status.WORKER_LOST),
    /** The worker already waits in this round. */
    TWICE(Status.BAD_ARGUMENT),
    /** The worker's list of members is older than that of another one. */
    OUTDATED(Status.BAD_ARGUMENT),
    /** Another worker arrived with other members in a list of the same version. */
    OTHER_MEMBERS(Status.BAD_ARGUMENT),
    /** Two workers of one name arrived. The older one will be found lost soon. */
    REPLACED(Status.WORKER_LOST);

    private final Status status;

    Kind(Status status) {
      this.status = status;
    }
  }

  static ArrivalReply of(Kind kind, List<Worker> workers) {
    return new ArrivalReply(kind, workers, List.of(), List.of(), 0);
  }

  static ArrivalReply done(List<Arrival> all) {
    List<Worker> workers = all.stream().map(Arrival::worker).toList();
    List<Long> offers = all.stream().map(Arrival::offer).toList();
    return new ArrivalReply(Kind.DONE, workers, List.of(), offers, 0);
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

  GridException failure(RendezvousAttempt attempt) {
    boolean one = workers.size() == 1;
    String who = (one ? "worker " : "workers ") + names(workers);
    String text =
        switch (kind) {
          case DONE, MOVED -> throw new IllegalStateException("no failure: " + this);
          case MISSING -> missing(attempt.within());
          case LOST, REPLACED -> who + (one ? " was lost" : " were lost");
          case LEFT -> who + (one ? " has left" : " have left");
          case TWICE ->
              "this worker waits in it already; use different keys for rounds at the same time";
          case OUTDATED ->
              "this worker has version %s of the list, another one with version %s: use the newer list"
                  .formatted(attempt.version(), version);
          case OTHER_MEMBERS ->
              "another worker has other members in version " + attempt.version() + " of the list";
        };
    return new GridException(kind.status, attempt.rendezvous() + ": " + text);
  }

  private String missing(String within) {
    String late = "workers " + names(workers) + " did not arrive within " + within;
    String gone = "workers " + names(others) + " gave up before";
    if (workers.isEmpty()) {
      return others.isEmpty() ? "it did not end within " + within : gone;
    }
    return others.isEmpty() ? late : late + "; " + gone;
  }

  private static List<String> names(List<Worker> workers) {
    return workers.stream().map(Worker::name).sorted().toList();
  }
}
