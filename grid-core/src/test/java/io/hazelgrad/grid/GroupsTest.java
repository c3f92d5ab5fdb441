package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.group.Groups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Barriers and gathers between members of one JVM. */
class GroupsTest {
  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    grids.close();
  }

  private static GridException failureOf(CompletableFuture<?> future) {
    return catchThrowableOfType(GridException.class, () -> Rpc.await(future));
  }

  /** Lets each grid do something on a thread of its own. */
  private static <T> List<CompletableFuture<T>> each(List<Grid> workers, Function<Grid, T> work) {
    return workers.stream()
        .map(grid -> CompletableFuture.supplyAsync(() -> work.apply(grid), GroupsTest::thread))
        .toList();
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "test");
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void allGatherReturnsValuesOfAll() {
    List<Grid> three = List.of(grids.join("a"), grids.join("b"), grids.join("c"));
    for (int round = 0; round < 20; round++) {
      int number = round;
      List<CompletableFuture<Map<String, List<Object>>>> all =
          each(
              three,
              grid ->
                  Groups.of(grid).all().allGather(Arrays.asList(grid.worker().id(), number, null)));
      Map<String, List<Object>> expected = Rpc.await(all.get(0));
      assertThat(expected.keySet()).containsExactly("a", "b", "c");
      assertThat(expected.get("b")).containsExactly(three.get(1).worker().id(), number, null);
      all.forEach(one -> assertThat(Rpc.await(one)).isEqualTo(expected));
    }
  }

  @Test
  void concurrentRoundsEndAndNewWorkerIsInNextRound() {
    List<Grid> workers = new ArrayList<>(List.of(grids.join("a"), grids.join("b")));
    Rpc.awaitAll(each(workers, grid -> Groups.of(grid).all().allGather(1)));
    workers.add(grids.join("c"));
    List<CompletableFuture<?>> threads = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      threads.addAll(
          each(
              workers,
              grid -> {
                for (int i = 0; i < 10; i++) {
                  Groups.of(grid).all().barrier();
                }
                return true;
              }));
    }
    Rpc.awaitAll(threads);
    List<CompletableFuture<Map<String, String>>> keyed = new ArrayList<>();
    for (int i = 0; i < 10; i++) { // Started in opposite orders: only the keys bring them together.
      int a = i;
      int b = 9 - i;
      keyed.add(Groups.of(workers.get(0)).named("a", "b").keyed("k" + a).allGatherAsync("a" + a));
      keyed.add(Groups.of(workers.get(1)).named("b", "a").keyed("k" + b).allGatherAsync("b" + b));
    }
    for (Map<String, String> round : Rpc.awaitAll(keyed)) {
      assertThat(round.get("a").substring(1)).isEqualTo(round.get("b").substring(1));
    }
  }

  @Test
  void timeoutNamesMissingWorkers() {
    Grid a = grids.join("a");
    grids.join("b");
    Grid c = grids.join("c");
    Groups groups = Groups.of(a);
    GridException late =
        failureOf(groups.all().within(Duration.ofMillis(100)).allGatherAsync("early"));
    assertThat(late.status()).isEqualTo(Status.TIMEOUT);
    assertThat(late)
        .hasMessage("all-gather over all workers: workers [b, c] did not arrive within 100 ms");
    CompletableFuture<?> follower =
        Groups.of(c).named("c", "a").within(Duration.ofMillis(100)).barrierAsync();
    assertThat(failureOf(follower))
        .hasMessage("barrier over [a, c]: workers [a] did not arrive within 100 ms");

    CompletableFuture<?> first =
        groups.named("a", "b").keyed("k").within(Duration.ofSeconds(2)).barrierAsync();
    Eventually.until("it has arrived", () -> groups.waiting() == 2);
    assertThat(failureOf(groups.named("a", "b").keyed("k").barrierAsync()).status())
        .isEqualTo(Status.BAD_ARGUMENT);
    first.cancel(true);
    Eventually.until("a takes its arrival back", () -> groups.waiting() == 0);
    assertThat(
            catchThrowableOfType(GridException.class, () -> groups.named("a", "x").barrier())
                .status())
        .isEqualTo(Status.UNKNOWN_WORKER);
    assertThat(catchThrowableOfType(GridException.class, () -> groups.named("b", "c")).status())
        .isEqualTo(Status.BAD_ARGUMENT);
  }

  @Test
  void roundFailsAtOnceAndCanBeRepeatedWhenMemberDies() {
    Grid a = grids.join("a");
    Grid b = grids.join("b");
    Grid c = grids.join("c");
    for (Grid dying : List.of(c, a)) { // First a follower, then the leader.
      List<Grid> rest = new ArrayList<>(List.of(a, b, c));
      rest.removeIf(grid -> grid == dying || grid.isClosed());
      Eventually.until(
          "every entry of the directory has its backups",
          () -> rest.get(0).hazelcast().getPartitionService().isClusterSafe());
      List<CompletableFuture<?>> waits = new ArrayList<>();
      rest.forEach(grid -> waits.add(Groups.of(grid).all().barrierAsync()));
      dying.hazelcast().getLifecycleService().terminate();
      for (CompletableFuture<?> wait : waits) {
        GridException lost = failureOf(wait);
        assertThat(lost.status()).isEqualTo(Status.WORKER_LOST);
        assertThat(lost)
            .hasMessage(
                "barrier over all workers: worker [%s] was lost".formatted(dying.worker().name()));
      }
      Eventually.until(
          "gone", () -> rest.stream().allMatch(g -> g.workers().size() == rest.size()));
      Rpc.awaitAll(each(rest, grid -> Groups.of(grid).all().allGather(grid.worker().name())));
    }
  }

  @Test
  void roundEndsWithoutWorkerThatLeaves() {
    Grid a = grids.join("a");
    Grid b = grids.join("b");
    Grid c = grids.join("c");
    List<CompletableFuture<?>> all =
        List.of(Groups.of(b).all().barrierAsync(), Groups.of(c).all().barrierAsync());
    CompletableFuture<?> named = Groups.of(b).named("a", "b").barrierAsync();
    a.close(); // It leads all of them.
    Rpc.awaitAll(all);
    GridException left = failureOf(named);
    assertThat(left.status()).isEqualTo(Status.WORKER_LOST);
    assertThat(left).hasMessage("barrier over [a, b]: worker [a] has left");
  }

  @Test
  void gatherFailsForAllWhenValueCannotTravel() {
    Grid a = grids.join("a");
    Grid b = grids.join("b");
    CompletableFuture<Map<String, Object>> bad =
        Groups.of(a).all().allGatherAsync(new AtomicInteger());
    CompletableFuture<Map<String, Object>> good = Groups.of(b).all().allGatherAsync(1);
    assertThat(failureOf(good)).hasMessageContainingAll("worker a", "AtomicInteger");
    assertThat(failureOf(bad)).hasMessageContainingAll("worker b", "AtomicInteger");
  }

  @Test
  void listHasVersion() {
    Grid a = grids.join("a");
    Grid b = grids.join("b");
    List<Worker> members = List.of(b.worker(), a.worker());
    CompletableFuture<Map<String, Integer>> old =
        Groups.of(b).listed("trainers", 1, members).allGatherAsync(1);
    CompletableFuture<Map<String, Integer>> one =
        Groups.of(a).listed("trainers", 2, members).allGatherAsync(2);
    GridException outdated = failureOf(old);
    assertThat(outdated.status()).isEqualTo(Status.BAD_ARGUMENT);
    assertThat(outdated).hasMessageContaining("version 1 of the list, another one with version 2");
    assertThat(Groups.of(b).listed("trainers", 2, members).allGather(3))
        .isEqualTo(Map.of("a", 2, "b", 3))
        .isEqualTo(Rpc.await(one));
  }

  @Test
  void waitsEndAndLaterOnesAreRefusedWhenGridCloses() {
    Grid a = grids.join("a");
    Grid b = grids.join("b");
    CompletableFuture<?> wait = Groups.of(b).all().within(Duration.ZERO).barrierAsync();
    Groups groups = Groups.of(b);
    Eventually.until("a leads it", () -> Groups.of(a).waiting() > 0);
    b.close();
    assertThat(failureOf(wait).status()).isEqualTo(Status.CLOSED);
    assertThat(catchThrowableOfType(GridException.class, () -> groups.all().barrier()).status())
        .isEqualTo(Status.CLOSED);
    Eventually.until("a has forgotten it", () -> Groups.of(a).waiting() == 0);
  }
}
