package io.hazelgrad.grid;

import java.io.Serializable;
import java.util.List;

/**
 * The exception that a called function threw, as it left its worker: class name, message (empty if
 * it had none), and stack trace, innermost frame first, cut at the function's entry.
 */
public record RemoteError(String worker, String type, String message, List<String> stack)
    implements Serializable {
  /** Copies the list. */
  public RemoteError {
    stack = List.copyOf(stack);
  }

  @Override
  public String toString() {
    String frames = String.join("\n\tat ", stack);
    return type + ": " + message + " on worker " + worker + "\n\tat " + frames;
  }
}
