package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.RemoteValue;

/** The identity of an event in the grid: the id of its worker, and its number there. */
@RemoteValue
public record EventId(long worker, long number) {
  @Override
  public String toString() {
    return worker + "." + number;
  }
}
