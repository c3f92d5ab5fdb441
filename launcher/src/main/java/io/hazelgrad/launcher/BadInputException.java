package io.hazelgrad.launcher;

/** Says that the user gave something wrong; the command ends with exit code 2 and this message. */
public final class BadInputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes it with what is wrong and, where that is not plain, the remedy; in one line. */
  public BadInputException(String message) {
    super(message);
  }

  /** Makes it with its cause, which only {@code --verbose} shows. */
  public BadInputException(String message, Throwable cause) {
    super(message, cause);
  }
}
