package io.hazelgrad.grid.group;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.Handler.Lane;
import java.time.Duration;

/**
 * Starts groups, roles and shutdown on each grid. First of all extensions, so that it is the last
 * to close: the others release what they hold before this worker says goodbye.
 */
public final class GroupsExtension implements GridExtension {
  private static final Duration REVIEW_EVERY = Duration.ofSeconds(1);

  /** For the service loader. */
  public GroupsExtension() {}

  @Override
  public int order() {
    return 0;
  }

  @Override
  public void prepare(Config config) {}

  @Override
  public Object start(GridContext context) {
    Leaving leaving = new Leaving(context);
    Offers offers = new Offers(context);
    Leader leader = new Leader(context);
    Participant participant = new Participant(context, offers);
    context.hook(offers.marks());
    context.asyncHandler(Participant.ARRIVE, leader::arrive);
    context.handler(Participant.REFUSED, Lane.CONTROL, offers::refused);
    context.handler(Participant.TAKE, Lane.CONTROL, offers::take);
    context.handler(Leaving.SERVICE, Lane.CONTROL, leaving::heard);
    Groups groups = new Groups(context, participant, leader);
    Shutdown shutdown = new Shutdown(context, groups, leaving);
    context.onLost(
        worker -> {
          shutdown.gone(worker);
          leader.gone(worker);
          offers.gone(worker);
          leaving.gone(worker);
        });
    context.every(REVIEW_EVERY, leader::review);
    context.onClose(offers::close); // In reverse order.
    context.onClose(participant::close);
    context.onClose(leader::close);
    context.onClose(() -> leaving.announce(Leaving.Way.GOODBYE));
    return new Services(groups, new Roles(context, leaving), shutdown);
  }
}
