package example.shop;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.health.Health.State;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** The actuator's health of the grid, as {@code grid}; application.properties makes it count. */
@Component("gridHealthIndicator") // Spring Boot names it "grid".
class GridHealth implements HealthIndicator {
  private final Grid grid;

  GridHealth(Grid grid) {
    this.grid = grid;
  }

  @Override
  public Health health() {
    io.hazelgrad.grid.health.Health now = io.hazelgrad.grid.health.Health.of(grid);
    Health.Builder health = now.isReady() ? Health.up() : Health.outOfService();
    State state = now.state();
    return health
        .withDetail("worker", now.worker())
        .withDetail("state", state + ": " + state.meaning())
        .withDetail("members", now.members())
        .build();
  }
}
