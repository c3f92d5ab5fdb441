package io.hazelgrad.cli.replay;

/** Signals a wrong file of programs, with one line that says what is wrong and where. */
public final class BadProgramException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with that line. */
  public BadProgramException(String message) {
    super(message);
  }
}
