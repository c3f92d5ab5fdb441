package io.hazelgrad.grid.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import io.hazelgrad.grid.group.Rendezvous.Purpose;
import io.hazelgrad.grid.group.Rendezvous.Whom;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Who is told what, in the cases that have a name. */
class RendezvousRoundsTest {
  private static final Worker A = worker("a", 1);
  private static final Worker B = worker("b", 2);
  private static final Worker C = worker("c", 3);
  private static final Worker NEW_B = worker("b", 9);

  private final RendezvousRounds rounds = new RendezvousRounds();
  private long tickets;

  private static Worker worker(String name, long id) {
    return new Worker(name, id, new UUID(0, id));
  }

  private static Rendezvous all(String key) {
    return new Rendezvous(Purpose.BARRIER, Whom.ALL, "", key);
  }

  private static Rendezvous named() {
    return new Rendezvous(Purpose.BARRIER, Whom.NAMED, "a, b, c", "");
  }

  private static Rendezvous listed() {
    return new Rendezvous(Purpose.GATHER, Whom.LISTED, "trainers", "");
  }

  private List<RoundOutcome> come(
      Worker worker, Rendezvous meeting, long version, Worker... members) {
    long ticket = ++tickets;
    return rounds.arrive(
        new Arrival(ticket, worker, meeting, version, List.of(members), 10 * ticket));
  }

  private static List<Kind> kinds(List<RoundOutcome> outcomes) {
    return outcomes.stream().map(outcome -> outcome.verdict().kind()).toList();
  }

  private static List<Long> tickets(RoundOutcome outcome) {
    return outcome.to().stream().map(Arrival::ticket).toList();
  }

  @Test
  void roundEndsForAllWhenLastWorkerArrives() {
    assertThat(come(C, named(), 0, A, B, C)).isEmpty();
    assertThat(come(A, named(), 0, A, B, C)).isEmpty();
    List<RoundOutcome> outcomes = come(B, named(), 0, A, B, C);
    assertThat(outcomes).hasSize(1);
    assertThat(outcomes.get(0).verdict().workers()).containsExactly(A, B, C);
    assertThat(outcomes.get(0).verdict().offers()).containsExactly(20L, 30L, 10L);
    assertThat(rounds.isEmpty()).isTrue();
  }

  @Test
  void threadsOfOneWorkerFormSeveralRounds() {
    come(A, all(""), 0, A, B);
    come(A, all(""), 0, A, B);
    assertThat(tickets(come(B, all(""), 0, A, B).get(0))).containsExactly(1L, 3L);
    assertThat(tickets(come(B, all(""), 0, A, B).get(0))).containsExactly(2L, 4L);
  }

  @Test
  void roundsOfOneKeyFollowEachOther() {
    come(A, all("k"), 0, A, B);
    assertThat(kinds(come(A, all("k"), 0, A, B))).containsExactly(Kind.TWICE);
    assertThat(come(A, all("other"), 0, A, B)).isEmpty();
    assertThat(kinds(come(B, all("k"), 0, A, B))).containsExactly(Kind.DONE);
  }

  @Test
  void lateWorkerIsAwaitedWhenKnownToAnyWorker() {
    come(A, all(""), 0, A, B);
    assertThat(come(B, all(""), 0, A, B, C)).isEmpty();
    assertThat(kinds(come(C, all(""), 0, A, B, C))).containsExactly(Kind.DONE);
  }

  @Test
  void roundEndsWithoutWorkerThatLeaves() {
    come(A, all(""), 0, A, B, C);
    come(B, all(""), 0, A, B, C);
    List<RoundOutcome> outcomes = rounds.left(C);
    assertThat(kinds(outcomes)).containsExactly(Kind.DONE);
    assertThat(outcomes.get(0).verdict().workers()).containsExactly(A, B);
  }

  @Test
  void timeoutNamesMissingWorkersAndWorkerMayReturn() {
    come(A, named(), 0, A, B, C);
    come(B, named(), 0, A, B, C);
    RoundOutcome first = rounds.giveUp(1).get(0);
    assertThat(first.verdict()).isEqualTo(ArrivalReply.missing(List.of(C), List.of()));
    assertThat(first.verdict().failure(named(), 0, "100 ms"))
        .hasMessage("barrier over [a, b, c]: workers [c] did not arrive within 100 ms")
        .extracting(GridException::status)
        .isEqualTo(Status.TIMEOUT);
    assertThat(come(A, named(), 0, A, B, C)).isEmpty();
    rounds.giveUp(3);
    RoundOutcome second = rounds.giveUp(2).get(0);
    assertThat(second.verdict().failure(named(), 0, "5 s"))
        .hasMessageEndingWith("workers [c] did not arrive within 5 s; workers [a] gave up before");
    assertThat(rounds.isEmpty()).isTrue();
  }

  @Test
  void workerReplacesOlderOneOfSameName() {
    come(A, named(), 0, A, B, C);
    assertThat(kinds(come(C, named(), 0, A, NEW_B, C))).containsExactly(Kind.REPLACED);
    assertThat(rounds.awaited()).containsExactlyInAnyOrder(A, NEW_B);
    assertThat(kinds(come(A, named(), 0, A, B, C))).containsExactly(Kind.REPLACED);
    come(A, named(), 0, A, NEW_B, C);
    assertThat(kinds(come(NEW_B, named(), 0, A, NEW_B, C))).containsExactly(Kind.DONE);
  }

  @Test
  void listIsRefusedWhenOutdatedAndEndsOlderRoundsWhenNewer() {
    come(A, listed(), 1, A, B);
    List<RoundOutcome> outcomes = come(B, listed(), 2, A, B, C);
    assertThat(kinds(outcomes)).containsExactly(Kind.OUTDATED);
    assertThat(tickets(outcomes.get(0))).containsExactly(1L);
    assertThat(kinds(come(C, listed(), 1, A, C))).containsExactly(Kind.OUTDATED);
    assertThat(kinds(come(C, listed(), 2, A, C))).containsExactly(Kind.OTHER_MEMBERS);
    come(A, listed(), 2, A, B, C);
    assertThat(kinds(come(C, listed(), 2, A, B, C))).containsExactly(Kind.DONE);
    come(A, listed(), 2, A, B, C); // Of one version there may be many rounds.
    come(B, listed(), 2, A, B, C);
    assertThat(kinds(come(C, listed(), 2, A, B, C))).containsExactly(Kind.DONE);
  }

  @Test
  void verdictsTravel() {
    ArrivalReply verdict = ArrivalReply.missing(List.of(A), List.of(B, C));
    assertThat(ArrivalReply.read(verdict.write())).isEqualTo(verdict);
    ArrivalRequest arriving = new ArrivalRequest(listed(), 3, List.of(A, B), 7, 100);
    assertThat(ArrivalRequest.read(arriving.write())).isEqualTo(arriving);
  }
}
