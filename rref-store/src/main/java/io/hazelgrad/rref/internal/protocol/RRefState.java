package io.hazelgrad.rref.internal.protocol;

/** What the registry knows of an RRef. */
public enum RRefState {
  /** Nothing: no entry. */
  ABSENT(0),
  /** A claim or a release came before the creation. */
  EXPECTED(1),
  /** Live; the work that makes the object runs or is about to. */
  CREATING(2),
  /** Live; the object is there. */
  READY(3),
  /** Live; the work ended with an exception, which the owner keeps for those who ask. */
  FAILED(4),
  /** Live; the caller gave the work up before it ended. */
  TIMED_OUT(5),
  /** Live; the owner of a durable object is gone, and another worker is to take it on. */
  ORPHANED(8),
  /** The owner is gone, and with it the object; there are still handles. */
  LOST(6),
  /** No handle is left. A tombstone, kept for a time so that late commands find it. */
  GONE(7);

  private static final RRefState[] VALUES = values();

  private final int code;

  RRefState(int code) {
    this.code = code;
  }

  /** Returns whether the object exists, or may come to exist, and is kept by its forks. */
  public boolean isLive() {
    return isCreated() || this == CREATING || this == ORPHANED;
  }

  /** Returns whether the creation is over, well or badly. */
  boolean isCreated() {
    return this == READY || this == FAILED || this == TIMED_OUT;
  }

  /** Returns the number that stands for this state on the wire. */
  public int toCode() {
    return code;
  }

  static RRefState fromCode(int code) {
    for (RRefState state : VALUES) {
      if (state.code == code) {
        return state;
      }
    }
    throw new IllegalArgumentException("Unknown state " + code);
  }
}
