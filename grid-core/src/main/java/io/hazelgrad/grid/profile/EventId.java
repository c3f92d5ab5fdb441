package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.RemoteValue;

/**
 * The identity of an event in the grid.
 *
 * @param worker the id of the worker that recorded it
 * @param number its number at that worker
 */
@RemoteValue
public record EventId(long worker, long number) {
  @Override
  public String toString() {
    return worker + "." + number;
  }
}
