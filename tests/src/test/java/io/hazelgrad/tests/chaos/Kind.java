package io.hazelgrad.tests.chaos;

import static io.hazelgrad.grid.Status.CLOSED;
import static io.hazelgrad.grid.Status.CONTEXT_CLOSED;
import static io.hazelgrad.grid.Status.FENCED;
import static io.hazelgrad.grid.Status.NO_QUORUM;
import static io.hazelgrad.grid.Status.REJECTED;
import static io.hazelgrad.grid.Status.RREF_CLOSED;
import static io.hazelgrad.grid.Status.RREF_FAILED;
import static io.hazelgrad.grid.Status.RREF_GONE;
import static io.hazelgrad.grid.Status.RREF_LOST;
import static io.hazelgrad.grid.Status.RREF_TIMED_OUT;
import static io.hazelgrad.grid.Status.TIMEOUT;
import static io.hazelgrad.grid.Status.WORKER_LOST;

import io.hazelgrad.grid.Status;
import java.util.EnumSet;
import java.util.Set;

/** What can happen to workers, clients and the network. Each is mended after a while. */
enum Kind {
  /** SIGKILL; then it is started anew. */
  KILL(1, 500, 5000),
  /** Two at once, so that parts of the registry are lost. */
  KILL_TWO(2, 500, 5000),
  /** It leaves in good order; then it is started anew. */
  DRAIN(1, 500, 5000),
  /** One more worker joins, and leaves after a while. */
  JOIN(1, 4000, 15000),
  /** SIGSTOP, for less than it takes to be given up. */
  NAP(1, 200, 2500),
  /** SIGSTOP, and it may be given up meanwhile. */
  FREEZE(1, 4000, 15000),
  /** Nothing passes between two workers. */
  CUT(2, 500, 12000),
  /** What one worker says does not reach another one. */
  CUT_ONE_WAY(2, 500, 12000),
  /** One worker is cut off from all others. */
  SPLIT(1, 500, 15000),
  /** What one worker says reaches nobody. */
  MUTE(1, 500, 15000),
  /** SIGKILL of a client; then it is started anew. */
  CLIENT_KILL(1, 500, 8000),
  /** SIGSTOP of a client. */
  CLIENT_FREEZE(1, 500, 20000),
  /** A client loses its connection, and finds no other. */
  CLIENT_CUT(1, 500, 15000);

  private final int victims;
  private final int shortest;
  private final int longest;

  /** For so many, and so long, in milliseconds. */
  Kind(int victims, int shortest, int longest) {
    this.victims = victims;
    this.shortest = shortest;
    this.longest = longest;
  }

  /** Those who need a worker that has gone, or what was kept there. */
  private static Set<Status> gone() {
    return EnumSet.of(
        WORKER_LOST,
        REJECTED,
        CONTEXT_CLOSED,
        RREF_LOST,
        RREF_FAILED,
        RREF_GONE,
        RREF_TIMED_OUT,
        TIMEOUT);
  }

  private static Set<Status> leaving() {
    Set<Status> statuses = gone();
    statuses.addAll(EnumSet.of(CLOSED, RREF_CLOSED));
    return statuses;
  }

  private static Set<Status> cutOff() {
    Set<Status> statuses = gone();
    statuses.addAll(EnumSet.of(FENCED, NO_QUORUM));
    return statuses;
  }

  /** Returns how many it happens to. */
  int victims() {
    return victims;
  }

  int shortest() {
    return shortest;
  }

  int longest() {
    return longest;
  }

  /** Returns how work may end because of it, besides well. */
  Set<Status> excused() {
    return switch (this) {
      case KILL, KILL_TWO -> gone();
      case DRAIN, JOIN -> leaving();
      case NAP -> late();
      case FREEZE, CUT, CUT_ONE_WAY, SPLIT, MUTE -> cutOff();
      case CLIENT_KILL -> EnumSet.noneOf(Status.class);
      case CLIENT_FREEZE, CLIENT_CUT -> {
        Set<Status> statuses = late();
        statuses.add(FENCED);
        yield statuses;
      }
    };
  }

  private static Set<Status> late() {
    return EnumSet.of(TIMEOUT, RREF_TIMED_OUT, RREF_FAILED);
  }

  boolean isOfClients() {
    return name().startsWith("CLIENT");
  }

  boolean isOfNetwork() {
    return this == CUT || this == CUT_ONE_WAY || this == SPLIT || this == MUTE;
  }

  /** Returns whether the process ends, with its memory of who is part of the grid. */
  boolean isFinal() {
    return this == KILL || this == KILL_TWO || this == DRAIN;
  }
}
