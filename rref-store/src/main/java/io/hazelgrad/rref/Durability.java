package io.hazelgrad.rref;

import io.hazelgrad.grid.RemoteValue;

/**
 * When the value of a durable object is stored. Always when the object is made, when {@link
 * RRef#checkpoint()} asks for it, and when its owner leaves in good order; besides:
 */
@RemoteValue
public enum Durability {
  /**
   * Never. If the owner dies, the object goes on as it was at the last checkpoint: what calls did
   * to it after that is lost, also what they answered.
   */
  ON_REQUEST(1),
  /**
   * Before the reply of each call goes out that was made through a reference to the object, or had
   * one as an argument. If the owner dies, nothing is lost of what was answered; what a call did
   * that was not answered may be. Costs a copy of the whole value, to two workers, for each call;
   * calls that end while a copy is written share the next one.
   */
  EVERY_REPLY(2);

  private final int code;

  Durability(int code) {
    this.code = code;
  }

  /** Returns the number that stands for this on the wire. */
  public int toCode() {
    return code;
  }

  public static Durability fromCode(int code) {
    for (Durability durability : values()) {
      if (durability.code == code) {
        return durability;
      }
    }
    throw new IllegalArgumentException("Unknown durability " + code);
  }
}
