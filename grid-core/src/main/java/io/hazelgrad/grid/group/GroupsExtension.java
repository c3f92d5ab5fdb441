package io.hazelgrad.grid.group;

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
  public Object start(GridContext context) {
    LeaveNotice leaving = new LeaveNotice(context);
    GatherOffers offers = new GatherOffers(context);
    RendezvousLeader leader = new RendezvousLeader(context);
    RendezvousParticipant participant = new RendezvousParticipant(context, offers);
    context.hook(offers.marks());
    context.asyncHandler(RendezvousParticipant.ARRIVE, leader::arrive);
    context.handler(RendezvousParticipant.REFUSED, Lane.CONTROL, offers::refused);
    context.handler(RendezvousParticipant.TAKE, Lane.CONTROL, offers::take);
    context.handler(LeaveNotice.SERVICE, Lane.CONTROL, leaving::heard);
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
    context.onClose(() -> leaving.announce(LeaveNotice.Way.GOODBYE));
    return new GroupServices(groups, new Roles(context, leaving), shutdown);
  }
}
