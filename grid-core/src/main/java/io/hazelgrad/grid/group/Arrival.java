package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import java.util.List;

/**
 * A worker that waits in a rendezvous.
 *
 * @param ticket a number that the leader gave it
 * @param worker the worker that arrived
 * @param rendezvous the rendezvous
 * @param version the version of the list of members; 0 if it has none
 * @param members the participants as the worker sees them, itself included
 * @param offer the number, at that worker, of the value that it offers
 */
record Arrival(
    long ticket,
    Worker worker,
    RendezvousId rendezvous,
    long version,
    List<Worker> members,
    long offer) {
  Arrival without(Worker gone) {
    List<Worker> rest = members.stream().filter(w -> w.id() != gone.id()).toList();
    return new Arrival(ticket, worker, rendezvous, version, rest, offer);
  }
}
