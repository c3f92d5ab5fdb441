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

/** Kind of trouble for workers, clients and the network. Each trouble is repaired after a while. */
enum TroubleKind {
  /** SIGKILL; the worker is started again later. */
  KILL(1, 500, 5000),
  /** SIGKILL of two workers at once, so that parts of the registry are lost. */
  KILL_TWO(2, 500, 5000),
  /** The worker leaves in good order and is started again later. */
  DRAIN(1, 500, 5000),
  /** One more worker joins and leaves after a while. */
  JOIN(1, 4000, 15000),
  /** SIGSTOP for less than the time after which a worker counts as lost. */
  NAP(1, 200, 2500),
  /** SIGSTOP that may last until the worker counts as lost. */
  FREEZE(1, 4000, 15000),
  /** No messages pass between two workers. */
  CUT(2, 500, 12000),
  /** Messages of one worker do not reach another one. */
  CUT_ONE_WAY(2, 500, 12000),
  /** One worker is cut off from all others. */
  SPLIT(1, 500, 15000),
  /** Messages of one worker reach no other one. */
  MUTE(1, 500, 15000),
  /** One packet in a hundred of one worker's is lost. */
  LOSS(1, 4000, 15000),
  /** Packets of one worker take 50 ms, and overtake each other. */
  DELAY(1, 4000, 15000),
  /** A worker vanishes with its network, so that its connections stay half open. */
  HALF_OPEN(1, 500, 8000),
  /** The streams of tensors fall silent in the middle. */
  SILENT_STREAMS(0, 500, 8000),
  /** The connections of the streams of tensors are reset. */
  RESET_STREAMS(0, 500, 4000),
  /** SIGKILL of a client; it is started again later. */
  CLIENT_KILL(1, 500, 8000),
  /** SIGSTOP of a client. */
  CLIENT_FREEZE(1, 500, 20000),
  /** A client loses its connection and finds no other one. */
  CLIENT_CUT(1, 500, 15000);

  private final int victims;
  private final int shortest;
  private final int longest;

  /** Creates a kind with its number of victims and its shortest and longest duration in ms. */
  TroubleKind(int victims, int shortest, int longest) {
    this.victims = victims;
    this.shortest = shortest;
    this.longest = longest;
  }

  /** Statuses of work that needs a lost worker, or data that was lost with it. */
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

  /** Returns the number of victims. */
  int victims() {
    return victims;
  }

  int shortest() {
    return shortest;
  }

  int longest() {
    return longest;
  }

  /** Returns the statuses of failed work that this trouble explains. */
  Set<Status> excused() {
    return switch (this) {
      case KILL, KILL_TWO, HALF_OPEN -> gone();
      case DRAIN, JOIN -> leaving();
      case NAP -> late();
      case FREEZE, CUT, CUT_ONE_WAY, SPLIT, MUTE -> cutOff();
      case LOSS, DELAY -> late();
      case CLIENT_KILL, SILENT_STREAMS, RESET_STREAMS -> EnumSet.noneOf(Status.class);
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
    return isCut() || needsHosts();
  }

  /** Returns whether it separates workers, so that any of them may be given up. */
  boolean isCut() {
    return this == CUT || this == CUT_ONE_WAY || this == SPLIT || this == MUTE;
  }

  /** Returns whether the workers must be hosts of their own. */
  boolean needsHosts() {
    return switch (this) {
      case LOSS, DELAY, HALF_OPEN, SILENT_STREAMS, RESET_STREAMS -> true;
      default -> false;
    };
  }

  /** Returns whether a worker may be given up by the others and its data with it. */
  boolean mayCostWorker() {
    return isFinal() || isCut() || this == FREEZE;
  }

  /** Returns whether the process ends and forgets the membership of the grid. */
  boolean isFinal() {
    return this == KILL || this == KILL_TWO || this == DRAIN || this == HALF_OPEN;
  }
}
