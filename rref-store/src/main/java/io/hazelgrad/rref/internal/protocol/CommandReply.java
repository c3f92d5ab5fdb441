package io.hazelgrad.rref.internal.protocol;

/**
 * The registry's reply to a command: whether its effect holds, and the state of the entry after it.
 * The table in {@code docs/protocol.md} says how the sender acts on both.
 *
 * <p>A reply travels as one {@link Integer}, which needs no serializer of its own.
 */
public record CommandReply(Verdict verdict, RRefState state) {

  /** Tells whether the effect of the command holds. */
  public enum Verdict {
    /** The effect holds, by this command or by an earlier copy of it. */
    OK(0),
    /** The fork was released before; its handle must not be used. */
    FORK_RELEASED(1),
    /** The parent fork is not live, so the child is no fork. */
    PARENT_GONE(2),
    /** The state of the entry does not allow the command. */
    REFUSED(3);

    private static final Verdict[] VALUES = values();

    private final int code;

    Verdict(int code) {
      this.code = code;
    }

    static Verdict fromCode(int code) {
      for (Verdict verdict : VALUES) {
        if (verdict.code == code) {
          return verdict;
        }
      }
      throw new IllegalArgumentException("Unknown verdict " + code);
    }
  }

  public boolean isOk() {
    return verdict == Verdict.OK;
  }

  public int toCode() {
    return verdict.code << 4 | state.toCode();
  }

  public static CommandReply fromCode(int code) {
    return new CommandReply(Verdict.fromCode(code >>> 4), RRefState.fromCode(code & 15));
  }
}
