package io.hazelgrad.grid.internal.waits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.waits.Diagnosis;
import io.hazelgrad.grid.waits.Finding;
import io.hazelgrad.grid.waits.Meeting;
import io.hazelgrad.grid.waits.Need;
import io.hazelgrad.grid.waits.TrainingSteps;
import io.hazelgrad.grid.waits.Wait;
import io.hazelgrad.grid.waits.Wait.Kind;
import io.hazelgrad.grid.waits.WorkerReport;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The join of the reports of workers to findings. */
class AnalysisTest {
  private static final List<String> ABC = List.of("a", "b", "c");

  private static WorkerReport waits(String worker, Wait... waits) {
    return new WorkerReport(worker, List.of(waits), List.of(), List.of(), Map.of());
  }

  private static WorkerReport meets(String worker, Meeting... meetings) {
    return new WorkerReport(worker, List.of(), List.of(meetings), List.of(), Map.of());
  }

  private static Wait wait(Kind kind, String id, String what, Need... needs) {
    return new Wait(kind, id, what, 5_000, false, List.of(needs));
  }

  private static Meeting round(String id, long begun, long ended, long thread) {
    return new Meeting(id, "round " + ended + " of " + id, ABC, begun, ended, 3_000, thread);
  }

  private static List<Finding> findings(Set<String> silent, WorkerReport... reports) {
    return Analysis.of(Arrays.asList(reports), silent, 2_000).findings();
  }

  @Test
  void chainOfCallsEndsWithItsCause() {
    List<Finding> found =
        findings(
            Set.of(),
            waits("a", wait(Kind.REQUEST, "r1", "waits for f on b", new Need("b", "c1"))),
            waits(
                "b",
                wait(Kind.CALL, "c1", "runs f for a", new Need("b", "t1")),
                wait(Kind.THREAD, "t1", "waits in the grid", new Need("b", "r2")),
                wait(Kind.REQUEST, "r2", "waits for g on c", new Need("c", "c2"))),
            waits(
                "c",
                wait(Kind.CALL, "c2", "runs g for b", new Need("c", "t2")),
                wait(Kind.THREAD, "t2", "runs at G.java:7")));
    assertThat(found).hasSize(1);
    assertThat(found.get(0).kind()).isEqualTo(Finding.Kind.WAIT);
    assertThat(found.get(0).workers()).containsExactly("c");
    assertThat(found.get(0).lines())
        .startsWith("a waits for f on b, since 5.0 s")
        .endsWith("c runs at G.java:7, since 5.0 s");
  }

  @Test
  void callToSilentWorkerNamesIt() {
    List<Finding> found =
        findings(
            Set.of("b"),
            waits("a", wait(Kind.REQUEST, "r1", "waits for f on b", new Need("b", "c1"))));
    assertThat(found)
        .extracting(Finding::kind)
        .containsExactly(Finding.Kind.SILENT, Finding.Kind.WAIT);
    assertThat(found.get(1).workers()).containsExactly("b");
    assertThat(found.get(1).lines())
        .containsExactly("a waits for f on b, since 5.0 s", "b does not answer");
  }

  @Test
  void callsThatNeedEachOthersPermitsAreDeadlock() {
    Wait queued = wait(Kind.CALL, "c1", "has no permit free", new Need("a", "permits"));
    Wait permits =
        new Wait(Kind.PERMITS, "permits", "all in use", 0, true, List.of(new Need("a", "t1")));
    Wait holder = wait(Kind.THREAD, "t1", "waits at F.java:3", new Need("a", "r1"));
    Wait request = wait(Kind.REQUEST, "r1", "waits for g on b", new Need("b", "c2"));
    WorkerReport b =
        waits(
            "b",
            wait(Kind.CALL, "c2", "runs g for a", new Need("b", "t2")),
            wait(Kind.THREAD, "t2", "waits in the grid", new Need("b", "r2")),
            wait(Kind.REQUEST, "r2", "waits for f on a", new Need("a", "c1")));
    Finding found = findings(Set.of(), waits("a", queued, permits, holder, request), b).get(0);
    assertThat(found.kind()).isEqualTo(Finding.Kind.DEADLOCK);
    assertThat(found.workers()).containsExactlyInAnyOrder("a", "b");
    assertThat(found.lines()).hasSize(8);

    Wait free =
        new Wait(
            Kind.PERMITS,
            "permits",
            "all in use",
            0,
            true,
            List.of(new Need("a", "t1"), new Need("a", "another thread")));
    assertThat(findings(Set.of(), waits("a", queued, free, holder, request), b))
        .extracting(Finding::kind)
        .doesNotContain(Finding.Kind.DEADLOCK);
  }

  @Test
  void roundNamesWorkersThatHaveNotReachedItAndSilentOnes() {
    List<Finding> found =
        findings(Set.of("c"), meets("a", round("x", 8, 7, 1)), meets("b", round("x", 7, 7, 1)));
    assertThat(found.get(1).kind()).isEqualTo(Finding.Kind.ABSENT);
    assertThat(found.get(1).workers()).containsExactly("b", "c");
    assertThat(found.get(1).lines())
        .containsExactly(
            "round 7 of x: a waits since 3.0 s for b and c",
            "b has not reached it",
            "c does not answer");
  }

  @Test
  void roundThatAllHaveReachedNamesNobody() {
    List<Finding> found =
        findings(
            Set.of(),
            meets("a", round("x", 9, 7, 1)),
            meets("b", round("x", 8, 7, 1)),
            meets("c", round("x", 8, 7, 1)));
    assertThat(found).hasSize(1);
    assertThat(found.get(0).workers()).isEmpty();
    assertThat(found.get(0).lines())
        .containsExactly(
            "round 7 of x: a, b and c wait since 3.0 s for nobody: all have reached it");
  }

  @Test
  void roundsInOppositeOrderAreDeadlock() {
    Need first = new Need("a", WaitGraph.roundId("x"));
    Need second = new Need("b", WaitGraph.roundId("y"));
    WorkerReport a =
        new WorkerReport(
            "a",
            List.of(wait(Kind.THREAD, "thread 1", "waits in the grid", first)),
            List.of(two("x", 1, 1), two("y", 0, 1)),
            List.of(),
            Map.of());
    WorkerReport b =
        new WorkerReport(
            "b",
            List.of(wait(Kind.THREAD, "thread 2", "waits in the grid", second)),
            List.of(two("x", 0, 2), two("y", 1, 2)),
            List.of(),
            Map.of());
    Finding found = findings(Set.of(), a, b).get(0);
    assertThat(found.kind()).isEqualTo(Finding.Kind.DEADLOCK);
    assertThat(found.lines())
        .contains("a waits in round 0 of x for b, since 3.0 s")
        .contains("b waits in round 0 of y for a, since 3.0 s");
  }

  @Test
  void barriersThatWaitForEachOthersWorkersAreToldTogether() {
    List<Finding> found =
        findings(Set.of(), meets("a", barrier("x", "a", "b")), meets("b", barrier("y", "a", "b")));
    assertThat(found).extracting(Finding::kind).containsOnly(Finding.Kind.ABSENT).hasSize(2);
    assertThat(found.get(0).lines())
        .containsExactly(
            "barrier x: a waits since 3.0 s for b",
            "b has not reached it",
            "b waits in barrier y for a, since 3.0 s",
            "they wait for each other: a deadlock, unless another thread comes");
  }

  @Test
  void barriersInRingAreToldTogether() {
    List<Finding> found =
        findings(
            Set.of(),
            meets("a", barrier("x", "a", "b")),
            meets("b", barrier("y", "b", "c")),
            meets("c", barrier("z", "c", "a")));
    assertThat(found)
        .hasSize(3)
        .allMatch(each -> each.lines().toString().contains("they wait for each other"));
  }

  @Test
  void workerThatWaitsForThirdOneIsNoDeadlock() {
    List<Finding> found =
        findings(
            Set.of(),
            meets("a", barrier("x", "a", "b")),
            meets("b", barrier("y", "b", "c")),
            waits("c"));
    assertThat(found.get(0).lines())
        .containsExactly(
            "barrier x: a waits since 3.0 s for b",
            "b has not reached it",
            "b waits in barrier y for c, since 3.0 s");
  }

  /** A place in a barrier, which knows no thread of the workers that have not reached it. */
  private static Meeting barrier(String id, String... members) {
    return new Meeting(id, "barrier " + id, List.of(members), 1, 0, 3_000, 1);
  }

  private static Meeting two(String id, long begun, long thread) {
    return new Meeting(id, "round 0 of " + id, List.of("a", "b"), begun, 0, 3_000, thread);
  }

  private static WorkerReport steps(String worker, double forward, double waiting) {
    Map<String, Double> parts = Map.of("forward", forward, "data", 1.0, "waiting", waiting);
    return new WorkerReport(
        worker, List.of(), List.of(), List.of(new TrainingSteps("fit", 9, 10, parts)), Map.of());
  }

  @Test
  void stragglerIsTheWorkerForWhichTheOthersWait() {
    List<Finding> found =
        findings(Set.of(), steps("a", 10, 30), steps("b", 40, 0.1), steps("c", 11, 29));
    assertThat(found).hasSize(1);
    assertThat(found.get(0).kind()).isEqualTo(Finding.Kind.STRAGGLER);
    assertThat(found.get(0).workers()).containsExactly("b");
    assertThat(found.get(0).lines())
        .containsExactly(
            "training fit: b needs 41.0 ms of its own for a step, the next one 12.0 ms; the others"
                + " wait 29.5 ms",
            "the longest part of its steps is forward, 40.0 ms");
    assertThat(findings(Set.of(), steps("a", 10, 1), steps("b", 11, 0.1))).isEmpty();
    assertThat(findings(Set.of(), steps("a", 10, 1))).isEmpty();
  }

  private static WorkerReport loses(String worker, Map<String, Long> lost) {
    return new WorkerReport(worker, List.of(), List.of(), List.of(), lost);
  }

  @Test
  void lostWorkerIsNamedUntilItIsBack() {
    List<Finding> found =
        findings(Set.of(), loses("a", Map.of("b", 1_000L, "c", 7_200L)), loses("c", Map.of()));
    assertThat(found).hasSize(1);
    assertThat(found.get(0).kind()).isEqualTo(Finding.Kind.LOST);
    assertThat(found.get(0).lines()).containsExactly("b was lost 1.0 s ago");
  }

  @Test
  void reportsTravelWhole() {
    WorkerReport report =
        new WorkerReport(
            "a",
            List.of(new Wait(Kind.PERMITS, "permits", "all", 7, true, List.of(new Need("b", "t")))),
            List.of(round("x", 8, 7, 41)),
            List.of(new TrainingSteps("fit", 9, 10, Map.of("forward", 1.5, "data", 0.25))),
            Map.of("b", 1_200L, "c", 3_400L));
    byte[] bytes = ReportCodec.write(report);
    assertThat(ReportCodec.read(bytes)).isEqualTo(report);
    assertThatThrownBy(() -> ReportCodec.read(Arrays.copyOf(bytes, bytes.length + 1)))
        .isInstanceOf(GridException.class);
  }

  @Test
  void quietGridHasNoFindings() {
    Diagnosis quiet = Analysis.of(List.of(waits("a"), waits("b")), Set.of(), 2_000);
    assertThat(quiet.workers()).containsExactly("a", "b");
    assertThat(quiet.findings()).isEmpty();
  }
}
