package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import java.util.List;

/**
 * A worker that came to a meeting.
 *
 * @param ticket a number that its leader gave it
 * @param worker who came
 * @param meeting what for
 * @param version the version of the list of members; 0 where it has none
 * @param members who takes part, as the worker sees it; itself is among them
 * @param offer the number of the value that it brought, at that worker
 */
record Arrival(
    long ticket,
    Worker worker,
    RendezvousId meeting,
    long version,
    List<Worker> members,
    long offer) {
  Arrival without(Worker gone) {
    List<Worker> rest = members.stream().filter(w -> w.id() != gone.id()).toList();
    return new Arrival(ticket, worker, meeting, version, rest, offer);
  }
}
