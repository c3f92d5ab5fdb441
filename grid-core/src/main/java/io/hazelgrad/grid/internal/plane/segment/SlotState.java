package io.hazelgrad.grid.internal.plane.segment;

/**
 * Who has a slot of shared memory: one word in the segment's header that both sides read and write,
 * the slot's generation (how often it was used) and one of four states.
 *
 * <pre>
 *            sender takes it         sender is done       receiver takes it
 *   FREE ---------------> FILLING --------------> SENT -------------------> HELD
 *    ^  generation + 1       |                      |                         |
 *    +-----------------------+----------------------+-------------------------+
 *              it cannot be sent      sender takes it back      receiver gives it back
 * </pre>
 *
 * <p>The sender alone leads from FREE to SENT. Out of SENT one of both leads by compare-and-set:
 * the receiver, if the message arrives; the sender, if the message is known to be over, after which
 * a late receiver finds another word and refuses the handle. Only the receiver leads out of HELD;
 * if it is lost, the sender never uses the slot again ({@link SegmentPool}).
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
