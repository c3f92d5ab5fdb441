package io.hazelgrad.grid.waits;

import io.hazelgrad.grid.Worker;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A worker's place in something that several workers do together in rounds: a collective, or a
 * barrier.
 *
 * @param id its name, the same on all of its workers and in no other meeting
 * @param what the round in which this worker is or was last, for people
 * @param members the names of its workers
 * @param begun the number of rounds that this worker has begun
 * @param ended the number of rounds that have ended here
 * @param millis how long this worker has been in the oldest round that has not ended; 0 if none
 * @param thread the id of the thread that began the last round, 0 if it is not known
 */
public record Meeting(
    String id,
    String what,
    List<String> members,
    long begun,
    long ended,
    long millis,
    long thread) {
  /** Copies the members. */
  public Meeting {
    members = List.copyOf(members);
  }

  /** Returns a place in a meeting of workers; the round began at a {@link System#nanoTime}. */
  public static Meeting of(
      String id,
      String what,
      List<Worker> members,
      long begun,
      long ended,
      long beganNanos,
      long thread) {
    long nanos = begun > ended ? System.nanoTime() - beganNanos : 0;
    List<String> names = members.stream().map(Worker::name).toList();
    return new Meeting(id, what, names, begun, ended, TimeUnit.NANOSECONDS.toMillis(nanos), thread);
  }

  /** Returns whether this worker is in a round. */
  public boolean isOpen() {
    return begun > ended;
  }
}
