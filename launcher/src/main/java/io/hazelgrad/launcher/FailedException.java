package io.hazelgrad.launcher;

/** Signals that a run failed. The command ends with exit code 1 and prints the message. */
public final class FailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with one line that says what failed. */
  public FailedException(String message) {
    super(message);
  }

  /** Creates the exception with its cause, which only {@code --verbose} shows. */
  public FailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
