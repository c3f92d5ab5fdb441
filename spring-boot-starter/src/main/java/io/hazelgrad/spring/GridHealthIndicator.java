package io.hazelgrad.spring;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.health.Health.State;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** The actuator's health of the worker: up if it is ready, and out of service otherwise. */
final class GridHealthIndicator implements HealthIndicator {
  private final Grid grid;

  GridHealthIndicator(Grid grid) {
    this.grid = grid;
  }

  @Override
  public Health health() {
    io.hazelgrad.grid.health.Health now = io.hazelgrad.grid.health.Health.of(grid);
    Health.Builder health = now.isReady() ? Health.up() : Health.outOfService();
    State state = now.state();
    health
        .withDetail("worker", now.worker())
        .withDetail("state", state + ": " + state.meaning())
        .withDetail("members", now.members());
    if (now.quorum() != null) {
      health.withDetail("quorum", now.quorum());
    }
    return health.build();
  }
}
