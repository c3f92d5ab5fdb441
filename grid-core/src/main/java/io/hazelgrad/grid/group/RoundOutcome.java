package io.hazelgrad.grid.group;

import java.util.List;

/**
 * An answer to some of those who wait.
 *
 * @param to whom it goes; their wait is over
 * @param verdict what they are told
 */
record RoundOutcome(List<Arrival> to, ArrivalReply verdict) {
  RoundOutcome(Arrival to, ArrivalReply verdict) {
    this(List.of(to), verdict);
  }
}
