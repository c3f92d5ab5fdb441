package io.hazelgrad.grid.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import io.hazelgrad.grid.group.RendezvousId.Purpose;
import io.hazelgrad.grid.group.RendezvousId.Scope;
import java.time.Duration;
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

  private static RendezvousId all(String key) {
    return new RendezvousId(Purpose.BARRIER, Scope.ALL, "", key);
  }

  private static RendezvousId named() {
    return new RendezvousId(Purpose.BARRIER, Scope.NAMED, "a, b, c", "");
  }

  private static RendezvousId listed() {
    return new RendezvousId(Purpose.GATHER, Scope.LISTED, "trainers", "");
  }

  private List<RendezvousRound.Outcome> come(
      Worker worker, RendezvousId meeting, long version, Worker... members) {
    long ticket = ++tickets;
    return rounds.arrive(
        new Arrival(ticket, worker, meeting, version, List.of(members), 10 * ticket, 100));
  }

  private static List<Kind> kinds(List<RendezvousRound.Outcome> outcomes) {
    return outcomes.stream().map(outcome -> outcome.reply().kind()).toList();
  }

  private static List<Long> tickets(RendezvousRound.Outcome outcome) {
    return outcome.recipients().stream().map(Arrival::ticket).toList();
  }

  @Test
  void roundEndsForAllWhenLastWorkerArrives() {
    assertThat(come(C, named(), 0, A, B, C)).isEmpty();
    assertThat(come(A, named(), 0, A, B, C)).isEmpty();
    List<RendezvousRound.Outcome> outcomes = come(B, named(), 0, A, B, C);
    assertThat(outcomes).hasSize(1);
    assertThat(outcomes.get(0).reply().workers()).containsExactly(A, B, C);
    assertThat(outcomes.get(0).reply().offers()).containsExactly(20L, 30L, 10L);
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
    List<RendezvousRound.Outcome> outcomes = rounds.left(C);
    assertThat(kinds(outcomes)).containsExactly(Kind.DONE);
    assertThat(outcomes.get(0).reply().workers()).containsExactly(A, B);
  }

  private static RendezvousAttempt attempt(long millis) {
    return new RendezvousAttempt(
        named(), 0, List::of, Duration.ofMillis(millis), System.nanoTime());
  }

  @Test
  void timeoutNamesMissingWorkersAndWorkerMayReturn() {
    come(A, named(), 0, A, B, C);
    come(B, named(), 0, A, B, C);
    RendezvousRound.Outcome first = rounds.giveUp(1).get(0);
    assertThat(first.reply()).isEqualTo(ArrivalReply.missing(List.of(C), List.of()));
    assertThat(first.reply().failure(attempt(100)))
        .hasMessage("barrier over [a, b, c]: workers [c] did not arrive within 100 ms")
        .extracting(GridException::status)
        .isEqualTo(Status.TIMEOUT);
    assertThat(come(A, named(), 0, A, B, C)).isEmpty();
    rounds.giveUp(3);
    RendezvousRound.Outcome second = rounds.giveUp(2).get(0);
    assertThat(second.reply().failure(attempt(5_000)))
        .hasMessageEndingWith(
            "workers [c] did not arrive within 5000 ms; workers [a] gave up before");
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
    List<RendezvousRound.Outcome> outcomes = come(B, listed(), 2, A, B, C);
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
    Arrival arriving = new Arrival(5, A, listed(), 3, List.of(A, B), 7, 100);
    assertThat(Arrival.read(5, A, arriving.write())).isEqualTo(arriving);
  }
}
