package io.hazelgrad.spring;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a worker that cannot start. Other failures of the grid are left to other analyzers. */
final class GridExceptionAnalyzer extends AbstractFailureAnalyzer<GridException> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, GridException cause) {
    String action = action(cause.status());
    return action == null
        ? null
        : new FailureAnalysis(
            "The worker cannot start, status %s: %s".formatted(cause.status(), cause.getMessage()),
            action,
            cause);
  }

  private static @Nullable String action(Status status) {
    return switch (status) {
      case NAME_TAKEN ->
          "Set hazelgrad.name to a name that no other worker has, for example"
              + " hazelgrad.name=${spring.application.name}-1.";
      case UNAUTHORIZED ->
          "Set hazelgrad.secret-file to the file with the secret that the other workers have.";
      case NO_QUORUM -> "Start more workers, or set a smaller hazelgrad.founding-size on all.";
      case BAD_CONFIG ->
          "Correct the configuration. If the application makes its own HazelcastInstance, it must"
              + " pass the Config to HazelgradConfig.prepare before; inject the HazelgradConfig.";
      default -> null;
    };
  }
}
