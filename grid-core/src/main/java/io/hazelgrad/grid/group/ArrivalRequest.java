package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An arrival on its way to the leader.
 *
 * @param meeting what for
 * @param version of the list of members; 0 where it has none
 * @param members who takes part, by id
 * @param offer the number of the value
 * @param remainingNanos how long the worker waits; MAX_VALUE for ever
 */
record ArrivalRequest(
    RendezvousId meeting, long version, List<Worker> members, long offer, long remainingNanos) {
  List<@Nullable Object> write() {
    return new ArrayList<>(
        List.of(
            meeting.purpose().name(),
            meeting.whom().name(),
            meeting.group(),
            meeting.key(),
            version,
            members,
            offer,
            remainingNanos));
  }

  static ArrivalRequest read(List<@Nullable Object> parts) {
    try {
      return new ArrivalRequest(
          new RendezvousId(
              RendezvousId.Purpose.valueOf(text(parts.get(0))),
              RendezvousId.Scope.valueOf(text(parts.get(1))),
              text(parts.get(2)),
              text(parts.get(3))),
          number(parts.get(4)),
          ArrivalReply.all(parts.get(5), Worker.class),
          number(parts.get(6)),
          number(parts.get(7)));
    } catch (RuntimeException e) {
      throw new GridException(Status.BAD_VALUE, "an arrival is damaged: " + parts, e);
    }
  }

  private static String text(@Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("no text: " + value);
  }

  private static long number(@Nullable Object value) {
    if (value instanceof Long number) {
      return number;
    }
    throw new IllegalArgumentException("no number: " + value);
  }

  Arrival by(Worker worker, long ticket) {
    return new Arrival(ticket, worker, meeting, version, members, offer);
  }
}
