package io.hazelgrad.autograd.internal.relay;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes and reads a client's error: status, message, and whether the work may have run. */
final class RelayFailure {
  private RelayFailure() {}

  static @Nullable List<Object> write(@Nullable GridException failure) {
    return failure == null
        ? null
        : List.of(
            failure.status().name(), String.valueOf(failure.getMessage()), failure.mayHaveRun());
  }

  static @Nullable GridException read(@Nullable Object written) {
    if (written == null) {
      return null;
    }
    if (written instanceof List<?> parts
        && parts.size() == 3
        && parts.get(0) instanceof String name
        && parts.get(1) instanceof String message
        && parts.get(2) instanceof Boolean mayHaveRun) {
      Status status = Status.byName(name);
      if (status != null) {
        return new GridException(status, message, mayHaveRun, null, null);
      }
    }
    throw new GridException(Status.BAD_VALUE, "expected the error of a client, got " + written);
  }
}
