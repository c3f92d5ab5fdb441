package io.hazelgrad.grid.internal.plane.segment;

/**
 * The state of a slot of shared memory. One word in the segment's header, which both sides read and
 * write, holds the state and the slot's generation: the number of times it was used.
 *
 * <pre>
 *            sender takes it         sender is done       receiver takes it
 *   FREE ---------------> FILLING --------------> SENT -------------------> HELD
 *    ^  generation + 1       |                      |                         |
 *    +-----------------------+----------------------+-------------------------+
 *              it cannot be sent      sender takes it back      receiver gives it back
 * </pre>
 *
 * <p>Only the sender moves a slot from FREE to SENT. From SENT one of the two moves it, by
 * compare-and-set; a receiver that comes late finds another word and refuses the slot. Only the
 * receiver moves it out of HELD; if it is lost, the sender never uses the slot again.
 */
enum SlotState {
  FREE(0),
  FILLING(1),
  SENT(2),
  HELD(3);

  private final int bits;

  SlotState(int bits) {
    this.bits = bits;
  }

  long with(long generation) {
    return generation << 2 | bits;
  }
}
