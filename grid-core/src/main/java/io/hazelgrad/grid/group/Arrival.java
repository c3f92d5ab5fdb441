package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.RendezvousId.Purpose;
import io.hazelgrad.grid.group.RendezvousId.Scope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A worker that arrives at a rendezvous and waits there. It travels as a list of plain values,
 * without ticket and worker, which its leader adds.
 *
 * @param version the version of the list of members; 0 if it has none
 * @param members the participants as the worker sees them, itself included, by id
 * @param offer the number, at that worker, of the value that it offers
 * @param remainingNanos the time that the worker waits; MAX_VALUE for no limit
 */
record Arrival(
    long ticket,
    Worker worker,
    RendezvousId rendezvous,
    long version,
    List<Worker> members,
    long offer,
    long remainingNanos) {
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

  static Arrival read(long ticket, Worker worker, List<@Nullable Object> message) {
    try {
      List<?> parts = List.copyOf(message); // Throws if a part is null.
      return new Arrival(
          ticket,
          worker,
          new RendezvousId(
              Purpose.valueOf((String) parts.get(0)),
              Scope.valueOf((String) parts.get(1)),
              (String) parts.get(2),
              (String) parts.get(3)),
          (Long) parts.get(4),
          ArrivalReply.all(parts.get(5), Worker.class),
          (Long) parts.get(6),
          (Long) parts.get(7));
    } catch (RuntimeException e) {
      throw new GridException(
          Status.BAD_VALUE, "the request to join a rendezvous is damaged: " + message, e);
    }
  }

  Arrival without(Worker gone) {
    List<Worker> rest = members.stream().filter(w -> w.id() != gone.id()).toList();
    return new Arrival(ticket, worker, rendezvous, version, rest, offer, remainingNanos);
  }
}
