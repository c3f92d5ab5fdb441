package io.hazelgrad.launcher;

/** Says that a run failed; the command ends with exit code 1 and this message. */
public final class FailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes it with what failed, in one line. */
  public FailedException(String message) {
    super(message);
  }

  /** Makes it with its cause, which only {@code --verbose} shows. */
  public FailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
