package io.hazelgrad.launcher;

/** Signals wrong input of the user. The command ends with exit code 2 and prints the message. */
public final class BadInputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with one line that says what is wrong and, if needed, what to do. */
  public BadInputException(String message) {
    super(message);
  }

  /** Creates the exception with its cause, which only {@code --verbose} shows. */
  public BadInputException(String message, Throwable cause) {
    super(message, cause);
  }
}
