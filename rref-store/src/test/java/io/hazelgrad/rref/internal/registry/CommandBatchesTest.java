package io.hazelgrad.rref.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Groups of commands, answered one at a time by the test. */
class CommandBatchesTest {
  private final List<List<String>> sent = new ArrayList<>();
  private final List<CompletableFuture<int[]>> answers = new ArrayList<>();
  private final List<Runnable> moments = new ArrayList<>();
  private final CommandBatches<String> batches =
      new CommandBatches<>(2, CommandBatches.MOST, 1, this::send, moments::add);

  private CompletionStage<int[]> send(int partition, List<String> group) {
    sent.add(group.stream().map(command -> partition + ":" + command).toList());
    CompletableFuture<int[]> answer = new CompletableFuture<>();
    answers.add(answer);
    return answer;
  }

  @Test
  void singleCommandIsSentAtOnceAndLaterOnesAreBatched() {
    CompletableFuture<Integer> first = batches.submit(0, "a", true);
    CompletableFuture<Integer> second = batches.submit(0, "b", true);
    CompletableFuture<Integer> third = batches.submit(0, "c", true);
    assertThat(sent).containsExactly(List.of("0:a"));

    answers.get(0).complete(new int[] {1});
    assertThat(first).isCompletedWithValue(1);
    assertThat(second).isNotDone();
    assertThat(sent).endsWith(List.of("0:b", "0:c"));

    answers.get(1).complete(new int[] {2, 3});
    assertThat(second).isCompletedWithValue(2);
    assertThat(third).isCompletedWithValue(3);
    assertThat(sent).hasSize(2);
  }

  @Test
  void partitionsDoNotWaitForEachOther() {
    var unused = batches.submit(0, "a", true);
    unused = batches.submit(1, "b", true);
    assertThat(sent).containsExactly(List.of("0:a"), List.of("1:b"));
  }

  @Test
  void failedBatchFailsItsOwnCommandsOnly() {
    CompletableFuture<Integer> first = batches.submit(0, "a", true);
    CompletableFuture<Integer> second = batches.submit(0, "b", true);
    IllegalStateException failure = new IllegalStateException("no");
    answers.get(0).completeExceptionally(failure);
    assertThat(first).isCompletedExceptionally();
    assertThat(first.handle((value, thrown) -> thrown)).isCompletedWithValue(failure);
    answers.get(1).complete(new int[] {7});
    assertThat(second).isCompletedWithValue(7);
  }

  @Test
  void commandFailsWhenItCannotBeSentAndNextIsTried() {
    CommandBatches<String> refusing =
        new CommandBatches<>(
            1,
            CommandBatches.MOST,
            1,
            (partition, group) -> {
              throw new IllegalStateException("shut down");
            },
            moments::add);
    assertThat(refusing.submit(0, "a", true)).isCompletedExceptionally();
    assertThat(refusing.submit(0, "b", true)).isCompletedExceptionally();
  }

  @Test
  void batchHasLimit() {
    for (int i = 0; i < 2 * CommandBatches.MOST + 1; i++) {
      var unused = batches.submit(0, "c" + i, true);
    }
    answers.get(0).complete(new int[1]);
    assertThat(sent.get(1)).hasSize(CommandBatches.MOST);
    answers.get(1).complete(new int[CommandBatches.MOST]);
    assertThat(sent.get(2)).hasSize(CommandBatches.MOST);
  }

  @Test
  void severalBatchesMayBeUnderWay() {
    CommandBatches<String> two =
        new CommandBatches<>(1, CommandBatches.MOST, 2, this::send, moments::add);
    for (String command : List.of("a", "b", "c")) {
      var unused = two.submit(0, command, true);
    }
    assertThat(sent).containsExactly(List.of("0:a"), List.of("0:b"));
    answers.get(1).complete(new int[1]);
    assertThat(sent).endsWith(List.of("0:c"));
  }

  @Test
  void unawaitedCommandIsDelayedForAMoment() {
    var unused = batches.submit(0, "a", false);
    unused = batches.submit(1, "b", false);
    unused = batches.submit(0, "c", false);
    assertThat(sent).isEmpty();
    assertThat(moments).hasSize(1);

    moments.remove(0).run();
    assertThat(sent).containsExactly(List.of("0:a", "0:c"), List.of("1:b"));

    answers.forEach(answer -> answer.complete(new int[2]));
    unused = batches.submit(0, "d", false);
    moments.remove(0).run();
    assertThat(sent).endsWith(List.of("0:d"));
  }

  @Test
  void urgentCommandTakesDelayedOnesAlong() {
    var unused = batches.submit(0, "a", false);
    unused = batches.submit(0, "b", true);
    assertThat(sent).containsExactly(List.of("0:a", "0:b"));
    moments.remove(0).run();
    assertThat(sent).hasSize(1);
  }

  @Test
  void manyCommandsAreNotDelayed() {
    for (int i = 0; i < 64; i++) {
      var unused = batches.submit(0, "c" + i, false);
    }
    assertThat(sent).singleElement().satisfies(group -> assertThat(group).hasSize(64));
  }

  @Test
  void commandsAreBatchedUntilReply() {
    var unused = batches.submit(0, "a", true);
    unused = batches.submit(0, "b", false);
    assertThat(moments).isEmpty();
    answers.get(0).complete(new int[1]);
    assertThat(sent).endsWith(List.of("0:b"));
  }
}
