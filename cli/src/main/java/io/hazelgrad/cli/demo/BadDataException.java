package io.hazelgrad.cli.demo;

/** Signals a wrong data file, with one line that says what is wrong and where. */
public final class BadDataException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BadDataException(String message) {
    super(message);
  }

  BadDataException(String message, Throwable cause) {
    super(message, cause);
  }
}
