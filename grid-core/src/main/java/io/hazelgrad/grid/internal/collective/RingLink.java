package io.hazelgrad.grid.internal.collective;

/**
 * The ways from the leader before and to the next one in a {@link Ring}. Threads: one round at a
 * time; any thread may close it, which ends the round.
 */
interface RingLink extends AutoCloseable {
  /** Moves the elements of a round; throws if a neighbour makes another round. */
  void run(Relay relay, RoundSignature signature, RoundControl control);

  /** Returns the bytes that have left beside the collective's messages. */
  long bytesSent();

  @Override
  void close();
}
