package io.hazelgrad.cli.replay;

/** Says in one line what is wrong with a file of programs, and where. */
public final class BadProgramException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BadProgramException(String message) {
    super(message);
  }
}
