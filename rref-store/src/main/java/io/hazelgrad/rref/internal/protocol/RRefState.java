package io.hazelgrad.rref.internal.protocol;

/** The state of a registry entry. */
public enum RRefState {
  /** There is no entry. */
  ABSENT(0),
  /** A claim or a release came before the creation. */
  EXPECTED(1),
  /** Live; the function that makes the object runs or is about to. */
  CREATING(2),
  /** Live; the object is made. */
  READY(3),
  /** Live; the function threw an exception, which the owner keeps for later uses. */
  FAILED(4),
  /** Live; the caller gave up before the function ended. */
  TIMED_OUT(5),
  /** Live; the owner of a durable object is lost, and another worker shall adopt it. */
  ORPHANED(8),
  /** The owner is lost with the object; there are still forks. */
  LOST(6),
  /** A tombstone: no fork is left. It is kept for a time so that late commands are refused. */
  GONE(7);

  private static final RRefState[] VALUES = values();

  private final int code;

  RRefState(int code) {
    this.code = code;
  }

  /** Returns whether the object exists or may come to exist. */
  public boolean isLive() {
    return isCreated() || this == CREATING || this == ORPHANED;
  }

  /** Returns whether the creation has ended, with an object or without. */
  boolean isCreated() {
    return this == READY || this == FAILED || this == TIMED_OUT;
  }

  public int toCode() {
    return code;
  }

  static RRefState fromCode(int code) {
    for (RRefState state : VALUES) {
      if (state.code == code) {
        return state;
      }
    }
    throw new IllegalArgumentException("Unknown state code " + code);
  }
}
