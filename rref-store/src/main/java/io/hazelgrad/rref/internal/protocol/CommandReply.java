package io.hazelgrad.rref.internal.protocol;

/**
 * What the registry answers to a command: whether it holds now, and the state of the entry after
 * it. The sender acts on both (the table in {@code docs/protocol.md} says how).
 *
 * <p>It travels as one {@link Integer}, which needs no serializer of its own.
 */
public record CommandReply(Verdict verdict, RRefState state) {

  /** Whether what the command asked for holds after it. */
  public enum Verdict {
    /** It holds, by this command or by an earlier copy of it. */
    OK(0),
    /** The fork is known to be over; its handle must not be used. */
    FORK_RELEASED(1),
    /** The fork from which the child was made is not live, so there is no child. */
    PARENT_GONE(2),
    /** The state does not allow it. */
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
