package io.hazelgrad.rref;

import io.hazelgrad.grid.RemoteValue;

/**
 * The checkpoint policy of a durable object. Every object is stored when it is made, by {@link
 * RRef#checkpoint()}, and when its owner leaves in good order. The policy adds further checkpoints.
 */
@RemoteValue
public enum Durability {
  /**
   * No further checkpoints. If the owner dies, the next owner has the value of the last checkpoint.
   * The changes of later calls are lost, even of calls that returned a result.
   */
  ON_REQUEST(1),
  /**
   * A checkpoint before each reply to a call that used the object or had a reference to it as an
   * argument. If the owner dies, only changes of calls without a reply may be lost. Each checkpoint
   * costs a copy of the whole value on two workers. Calls that end meanwhile share the next one.
   */
  EVERY_REPLY(2);

  private final int code;

  Durability(int code) {
    this.code = code;
  }

  /** Returns the code of this policy on the wire. */
  public int toCode() {
    return code;
  }

  /** Returns the policy of a code on the wire. */
  public static Durability fromCode(int code) {
    for (Durability durability : values()) {
      if (durability.code == code) {
        return durability;
      }
    }
    throw new IllegalArgumentException("Unknown durability code " + code);
  }
}
