package io.hazelgrad.autograd.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.parallel.PipelineSchedule.Direction;
import io.hazelgrad.autograd.parallel.PipelineSchedule.Step;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The orders of all pipelines of up to 7 stages and 7 micro-batches. */
class PipelineScheduleTest {
  private static final int MOST = 7;

  /** A pass that a stage has ended. */
  private record Done(int stage, Step step) {}

  private interface Check {
    void of(int stages, int micros);
  }

  private static void forAll(Check check) {
    for (int stages = 1; stages <= MOST; stages++) {
      for (int micros = 1; micros <= MOST; micros++) {
        check.of(stages, micros);
      }
    }
  }

  private static List<List<Step>> orders(PipelineSchedule schedule, int stages, int micros) {
    return IntStream.range(0, stages)
        .mapToObj(stage -> schedule.steps(stage, stages, micros))
        .toList();
  }

  private static List<Integer> micros(List<Step> steps, Direction direction) {
    return steps.stream().filter(each -> each.direction() == direction).map(Step::micro).toList();
  }

  @ParameterizedTest
  @EnumSource
  void stagesPassEachMicroBatchOnceInEachDirectionInOrder(PipelineSchedule schedule) {
    forAll(
        (stages, micros) -> {
          List<Integer> all = IntStream.range(0, micros).boxed().toList();
          for (List<Step> steps : orders(schedule, stages, micros)) {
            assertThat(micros(steps, Direction.FORWARD)).isEqualTo(all);
            assertThat(micros(steps, Direction.BACKWARD)).isEqualTo(all);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void stagesReachTheirEndsWhenOnlyReceivesWait(PipelineSchedule schedule) {
    forAll(
        (stages, micros) ->
            assertThat(run(orders(schedule, stages, micros)))
                .as("%d stages, %d micro-batches", stages, micros)
                .hasSize(2 * stages * micros));
  }

  /**
   * Lets each stage go on while it needs not wait, until none can. Passes never disable each other,
   * so any other interleaving ends with the same ones.
   */
  private static Set<Done> run(List<List<Step>> orders) {
    Set<Done> done = new HashSet<>();
    int before;
    do {
      before = done.size();
      for (int stage = 0; stage < orders.size(); stage++) {
        for (Step step : orders.get(stage)) {
          if (!needed(stage, orders.size(), step).stream().allMatch(done::contains)) {
            break;
          }
          done.add(new Done(stage, step));
        }
      }
    } while (done.size() > before);
    return done;
  }

  /** Returns the passes whose results a pass needs. */
  private static List<Done> needed(int stage, int stages, Step step) {
    List<Done> needed = new ArrayList<>();
    if (step.direction() == Direction.BACKWARD) {
      needed.add(new Done(stage, new Step(Direction.FORWARD, step.micro())));
    }
    int from = step.direction() == Direction.FORWARD ? stage - 1 : stage + 1;
    if (from >= 0 && from < stages) {
      needed.add(new Done(from, step));
    }
    return needed;
  }

  @Test
  void gpipePassesAllForwardFirst() {
    forAll(
        (stages, micros) ->
            orders(PipelineSchedule.GPIPE, stages, micros)
                .forEach(steps -> assertThat(mostHeld(steps)).isEqualTo(micros)));
  }

  @Test
  void oneForwardOneBackwardHoldsAsManyMicroBatchesAsStagesFollow() {
    forAll(
        (stages, micros) -> {
          var orders = orders(PipelineSchedule.ONE_FORWARD_ONE_BACKWARD, stages, micros);
          for (int stage = 0; stage < stages; stage++) {
            assertThat(mostHeld(orders.get(stage))).isEqualTo(Math.min(micros, stages - stage));
          }
        });
  }

  private static int mostHeld(List<Step> steps) {
    int held = 0;
    int most = 0;
    for (Step each : steps) {
      held += each.direction() == Direction.FORWARD ? 1 : -1;
      most = Math.max(most, held);
    }
    return most;
  }

  @Test
  void oneForwardOneBackwardTakesTurnsAfterTheWarmUp() {
    assertThat(
            PipelineSchedule.ONE_FORWARD_ONE_BACKWARD.steps(1, 3, 3).stream()
                .map(each -> each.direction().name().charAt(0) + "" + each.micro()))
        .containsExactly("F0", "F1", "B0", "F2", "B1", "B2");
  }

  @ParameterizedTest
  @EnumSource
  void stagesAndMicroBatchesThatDoNotExistAreRefused(PipelineSchedule schedule) {
    assertThatThrownBy(() -> schedule.steps(2, 2, 1))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT))
        .hasMessageContaining("stage=2 of stages=2");
    assertThatThrownBy(() -> schedule.steps(0, 2, 0)).hasMessageContaining("micros=0");
  }
}
