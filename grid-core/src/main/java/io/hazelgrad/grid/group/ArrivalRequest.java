package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The message by which a worker arrives at the leader of a rendezvous.
 *
 * @param rendezvous the rendezvous
 * @param version the version of the list of members; 0 if it has none
 * @param members the participants, by id
 * @param offer the number of the value that the worker offers
 * @param remainingNanos the time that the worker waits; MAX_VALUE for no limit
 */
record ArrivalRequest(
    RendezvousId rendezvous, long version, List<Worker> members, long offer, long remainingNanos) {
  List<@Nullable Object> write() {
    return new ArrayList<>(
        List.of(
            rendezvous.purpose().name(),
            rendezvous.scope().name(),
            rendezvous.group(),
            rendezvous.key(),
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
      throw new GridException(
          Status.BAD_VALUE, "the request to join a rendezvous is damaged: " + parts, e);
    }
  }

  private static String text(@Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("not a string: " + value);
  }

  private static long number(@Nullable Object value) {
    if (value instanceof Long number) {
      return number;
    }
    throw new IllegalArgumentException("not a long: " + value);
  }

  Arrival by(Worker worker, long ticket) {
    return new Arrival(ticket, worker, rendezvous, version, members, offer);
  }
}
