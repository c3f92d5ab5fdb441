package io.hazelgrad.cli.demo;

/** Says in one line what is wrong with a file of data, and where. */
public final class BadDataException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BadDataException(String message) {
    super(message);
  }

  BadDataException(String message, Throwable cause) {
    super(message, cause);
  }
}
