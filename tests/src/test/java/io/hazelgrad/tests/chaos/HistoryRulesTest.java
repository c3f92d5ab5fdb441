package io.hazelgrad.tests.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the rules of histories: each planted violation is found, and what is allowed is not. */
class HistoryRulesTest {
  private static final long SECOND = 1_000_000_000;

  private final List<Episode> episodes = new ArrayList<>();
  private final History history = new History();

  /** Adds the lines of one process. Fields are separated by blanks here. */
  private void process(String name, String... lines) {
    List<String> all = new ArrayList<>(List.of("process\t" + name + "\t"));
    for (String line : lines) {
      all.add(line.replace(' ', '\t') + "\t");
    }
    history.add(all);
  }

  private void trouble(TroubleKind kind, String who, long from, long to) {
    episodes.add(new Episode(kind, Set.of(who), from * SECOND, to * SECOND));
  }

  private List<String> violations() {
    process("W", "done 1");
    return HistoryRules.violations(history, episodes);
  }

  @Test
  void quietHistoryHasNoViolation() {
    process(
        "A",
        "held 1 10 5 PLAIN B",
        "use 2 11 INCREMENT 5 PLAIN",
        "ok 2 12 1",
        "use 3 13 READ 5 PLAIN",
        "ok 3 14 1",
        "forks 15 16 5 1",
        "closing 1 20");
    process("B", "dropped 30 5");
    assertThat(violations()).isEmpty();
  }

  @Test
  void lostWriteIsFoundOnPlainAndOnDurableCounters() {
    for (String kind : List.of("PLAIN", "EVERY_REPLY")) {
      History planted = new History();
      planted.add(
          List.of(
              "use\t1\t10\tINCREMENT\t5\t" + kind + "\t",
              "ok\t1\t11\t1\t",
              "use\t2\t12\tINCREMENT\t5\t" + kind + "\t",
              "ok\t2\t13\t1\t",
              "done\t14\t"));
      assertThat(HistoryRules.violations(planted, episodes))
          .singleElement()
          .asString()
          .contains("not linearizable");
    }
  }

  @Test
  void failedHitMayCountUnlessItSaysThatItDidNotRun() {
    process("A", "use 1 10 INCREMENT 5 PLAIN");
    process("B", "use 1 12 INCREMENT 5 PLAIN", "ok 1 13 2");
    assertThat(violations()).isEmpty();
    process("A", "use 1 10 INCREMENT 6 PLAIN", "none 1 11");
    process("B", "use 1 12 INCREMENT 6 PLAIN", "ok 1 13 2");
    assertThat(violations()).singleElement().asString().contains("counter 6");
  }

  @Test
  void staleReadOfDurableCounterIsFound() {
    process(
        "A",
        "use 1 10 INCREMENT 5 EVERY_REPLY",
        "ok 1 11 1",
        "use 2 12 READ 5 EVERY_REPLY",
        "ok 2 13 0");
    assertThat(violations()).singleElement().asString().contains("after 1 answered");
  }

  @Test
  void useAfterTheDropIsFound() {
    process("A", "use 1 30 READ 5 PLAIN", "ok 1 31 0");
    process("B", "dropped 20 5");
    assertThat(violations()).singleElement().asString().contains("succeeded after");
  }

  @Test
  void secondDropIsFound() {
    process("B", "dropped 20 5", "dropped 30 5");
    assertThat(violations()).singleElement().asString().contains("twice");
  }

  @Test
  void dropUnderAnOpenHandleIsFoundUnlessItsHolderOrOwnerWasInTrouble() {
    process("A", "held 1 " + 100 * SECOND + " 5 PLAIN B");
    process("B", "dropped " + 200 * SECOND + " 5");
    assertThat(violations()).singleElement().asString().contains("while there was");
    trouble(TroubleKind.KILL, "C", 110, 120);
    trouble(TroubleKind.KILL, "A", 210, 220);
    trouble(TroubleKind.LOSS, "A", 10, 20);
    assertThat(violations()).hasSize(1);
    trouble(TroubleKind.KILL, "A", 110, 120);
    assertThat(violations()).isEmpty();
  }

  @Test
  void objectMayBeMadeLateAndDroppedWhenTroubleOfAnyWorkerHeldUpItsEntry() {
    process(
        "A",
        "held 1 " + 100 * SECOND + " 5 PLAIN B",
        "useless " + 160 * SECOND + " 5 PLAIN B RREF_TIMED_OUT not-made late",
        "closing 1 " + 300 * SECOND);
    process("D", "held 1 " + 140 * SECOND + " 5 PLAIN B", "closing 1 " + 290 * SECOND);
    process("B", "dropped " + 150 * SECOND + " 5");
    trouble(TroubleKind.KILL, "C", 10, 20);
    assertThat(violations()).singleElement().asString().contains("no trouble explains");
    trouble(TroubleKind.KILL, "C", 110, 120);
    assertThat(violations()).isEmpty();
  }

  @Test
  void forkThatTheRegistryDoesNotCountIsFound() {
    process("A", "held 1 10 5 PLAIN B", "held 2 11 5 PLAIN B");
    process("B", "forks 20 21 5 1");
    assertThat(violations()).singleElement().asString().contains("2 handles were open");
    trouble(TroubleKind.KILL, "C", 0, 1);
    assertThat(violations()).hasSize(1);
    trouble(TroubleKind.KILL, "D", 0, 1); // The registry may have lost the entry.
    assertThat(violations()).isEmpty();
  }

  @Test
  void failureIsExcusedByItsEventAndInItsTimeOnly() {
    process("A", "failed " + 100 * SECOND + " " + 101 * SECOND + " WORKER_LOST hit gone");
    process("B", "done 2", "done 3", "done 4", "done 5", "done 6");
    assertThat(violations()).singleElement().asString().contains("no trouble explains");
    trouble(TroubleKind.NAP, "B", 99, 102); // Nobody is lost by it.
    trouble(TroubleKind.KILL, "B", 10, 70);
    trouble(TroubleKind.KILL, "B", 103, 104);
    assertThat(violations()).hasSize(1);
    trouble(TroubleKind.KILL, "B", 10, 90);
    assertThat(violations()).isEmpty();
  }

  @Test
  void lossIsExcusedByTroubleOfTheOwnerOnly() {
    process("A", "useless " + 300 * SECOND + " 5 PLAIN B RREF_LOST made lost");
    assertThat(violations()).singleElement().asString().contains("no trouble explains");
    trouble(TroubleKind.KILL, "C", 100, 110);
    assertThat(violations()).hasSize(1);
    trouble(TroubleKind.KILL, "B", 100, 110);
    assertThat(violations()).isEmpty();
  }

  @Test
  void lossOfDurableObjectIsExcusedByTheLossOfTwoWorkersOnly() {
    process("A", "useless " + 300 * SECOND + " 5 EVERY_REPLY B RREF_LOST made lost");
    trouble(TroubleKind.KILL, "B", 100, 110);
    trouble(TroubleKind.KILL, "C", 150, 160);
    trouble(TroubleKind.KILL, "C", 310, 320);
    assertThat(violations()).singleElement().asString().contains("no trouble explains");
    trouble(TroubleKind.KILL, "C", 105, 112);
    assertThat(violations()).isEmpty();
  }

  @Test
  void lossOfDurableObjectThatWasNotMadeIsExcusedByTroubleOfItsOwner() {
    process("A", "useless " + 110 * SECOND + " 5 EVERY_REPLY B RREF_LOST not-made lost");
    process("C", "useless " + 115 * SECOND + " 5 EVERY_REPLY B RREF_LOST made lost");
    assertThat(violations()).hasSize(2);
    trouble(TroubleKind.DRAIN, "B", 100, 110);
    assertThat(violations()).isEmpty();
  }

  @Test
  void tooLittleWorkAndLongSilenceAreFound() {
    process("A", "done 1", "done " + 60 * SECOND);
    assertThat(violations()).singleElement().asString().contains("no work succeeded for");
    trouble(TroubleKind.KILL, "B", 0, 100);
    process(
        "A",
        "failed 1 2 TIMEOUT hit late",
        "failed 1 2 TIMEOUT hit late",
        "failed 1 2 TIMEOUT hit late",
        "failed 1 2 TIMEOUT hit late",
        "failed 1 2 TIMEOUT hit late");
    assertThat(violations()).anyMatch(it -> it.startsWith("only "));
  }
}
