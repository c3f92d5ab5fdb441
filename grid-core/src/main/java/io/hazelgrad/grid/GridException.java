package io.hazelgrad.grid;

import org.jspecify.annotations.Nullable;

/** Every failure that Hazelgrad reports, with its kind and whether the function may have run. */
public final class GridException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Status status;

  private final boolean mayHaveRun;

  private final @Nullable RemoteError remote;

  /** Makes a failure of something that did not run. */
  public GridException(Status status, String message) {
    this(status, message, false, null, null);
  }

  /** Makes a failure of something that did not run, with its cause. */
  public GridException(Status status, String message, @Nullable Throwable cause) {
    this(status, message, false, null, cause);
  }

  /** Makes a failure with all its parts. */
  public GridException(
      Status status,
      String message,
      boolean mayHaveRun,
      @Nullable RemoteError remote,
      @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
    this.mayHaveRun = mayHaveRun;
    this.remote = remote;
  }

  /** Returns what went wrong. */
  public Status status() {
    return status;
  }

  /** Returns whether the called function may have run. */
  public boolean mayHaveRun() {
    return mayHaveRun;
  }

  /** Returns what the called function threw, or null if the failure was not thrown by one. */
  public @Nullable RemoteError remote() {
    return remote;
  }

  /** Returns the class, the status and the message, as stack traces show it. */
  @Override
  @SuppressWarnings("OverrideThrowableToString") // Messages are quoted in others, without it.
  public String toString() {
    return getClass().getName() + ": " + status + ": " + getMessage();
  }
}
