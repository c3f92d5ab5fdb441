package io.hazelgrad.grid.group;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.Handler.Lane;
import io.hazelgrad.grid.waits.WaitSources;
import java.time.Duration;

/**
 * Starts groups, roles and shutdown on each worker. It starts before all other extensions and so
 * closes after them: they release their resources before this worker takes its leave.
 */
public final class GroupsExtension implements GridExtension {
  private static final Duration REVIEW_EVERY = Duration.ofSeconds(1);

  @Override
  public int order() {
    return 0;
  }

  @Override
  public Object start(GridContext context) {
    LeaveNotice notices = new LeaveNotice(context);
    GatherOffers offers = new GatherOffers(context);
    RendezvousLeader leader = new RendezvousLeader(context);
    RendezvousParticipant participant = new RendezvousParticipant(context, offers);
    context.hook(offers.markerHook());
    context.service(WaitSources.class).addMeetings(participant::meetings);
    context.asyncHandler(RendezvousParticipant.ARRIVE, leader::arrive);
    context.handler(RendezvousParticipant.REFUSED, Lane.CONTROL, offers::fail);
    context.handler(RendezvousParticipant.TAKE, Lane.CONTROL, offers::take);
    context.handler(LeaveNotice.SERVICE, Lane.CONTROL, notices::received);
    Groups groups = new Groups(context, participant, leader);
    Shutdown shutdown = new Shutdown(context, groups, notices);
    context.onLost(
        worker -> {
          shutdown.lost(worker);
          leader.lost(worker);
          offers.lost(worker);
          notices.lost(worker);
        });
    context.every(REVIEW_EVERY, leader::review);
    context.onClose(offers::close); // Actions run in reverse order.
    context.onClose(participant::close);
    context.onClose(leader::close);
    context.onClose(() -> notices.announce(LeaveNotice.Kind.GOODBYE));
    return new GroupServices(groups, new Roles(context, notices), shutdown);
  }
}
