package io.hazelgrad.grid.spi;

/** The identity of a call: the id of the calling worker or client, and its counter. */
public record CallId(long caller, long sequence) {
  @Override
  public String toString() {
    return caller + "#" + sequence;
  }
}
