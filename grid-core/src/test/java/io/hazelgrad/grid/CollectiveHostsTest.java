package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.collective.Reduction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Collectives of four members on two hosts: the members of a host have a directory for shared
 * memory of their own. The hosts exchange elements by connections.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CollectiveHostsTest {
  private static final List<String> NAMES = List.of("a", "b", "c", "d");

  private final TestGrids grids = new TestGrids();
  private final List<Grid> workers = new ArrayList<>();
  @TempDir private static Path folder;
  private List<Collective> members;

  /** Returns the port for connections between hosts, 0 for any. */
  int port() {
    return 0;
  }

  @BeforeAll
  void start() throws IOException {
    Path one = Files.createDirectory(folder.resolve("one" + port()));
    Path other = Files.createDirectory(folder.resolve("other" + port()));
    for (String name : NAMES) {
      // The members of a host are no neighbours.
      PlaneConfig plane =
          PlaneConfig.defaults()
              .withPort(port())
              .withDirectory(name.equals("b") || name.equals("c") ? other : one);
      workers.add(grids.join(HazelgradConfig.named(name).plane(plane)));
    }
    List<CompletableFuture<Collective>> joining =
        workers.stream()
            .map(
                grid ->
                    CompletableFuture.supplyAsync(
                        () -> Collectives.on(grid).join("hosts", NAMES),
                        CollectiveHostsTest::thread))
            .toList();
    members = joining.stream().map(Rpc::await).toList();
    assertThat(members).extracting(Collective::hosts).containsOnly(2);
  }

  @AfterAll
  void end() throws IOException {
    members.forEach(Collective::close);
    try (Stream<Path> left = Files.walk(folder)) {
      assertThat(left.map(Path::toString)).noneMatch(name -> name.endsWith("-0"));
    }
    grids.close();
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "test");
    thread.setDaemon(true);
    thread.start();
  }

  private <T> List<T> each(Function<Collective, T> work) {
    return members.stream()
        .map(
            member ->
                CompletableFuture.supplyAsync(
                    () -> work.apply(member), CollectiveHostsTest::thread))
        .toList()
        .stream()
        .map(Rpc::await)
        .toList();
  }

  private static Tensor ofRank(int rank, int size) {
    float[] values = new float[size];
    for (int i = 0; i < size; i++) {
      values[i] = 10 * i + rank;
    }
    return Tensor.wrap(values, size);
  }

  @Test
  void reductionsCombineTheElementsOfBothHosts() {
    float[] means = new float[30_001];
    for (int i = 0; i < means.length; i++) {
      means[i] = 10 * i + 1.5f;
    }
    each(m -> m.allReduce(ofRank(m.rank(), means.length), Reduction.MEAN).join())
        .forEach(mean -> assertThat(mean.toFloats()).isEqualTo(means));
    each(m -> m.allReduce(ofRank(m.rank(), 3), Reduction.MAX).join())
        .forEach(most -> assertThat(most.toFloats()).containsExactly(3, 13, 23));
    each(m -> {
          float[] array = ofRank(m.rank(), means.length).toFloats();
          m.allReduceInPlace(array, Reduction.MEAN).join();
          return array;
        })
        .forEach(mean -> assertThat(mean).isEqualTo(means));
    List<Tensor> parts = each(m -> m.reduceScatter(ofRank(m.rank(), 8), Reduction.SUM).join());
    for (int rank = 0; rank < 4; rank++) {
      assertThat(parts.get(rank).toFloats()).containsExactly(80 * rank + 6, 80 * rank + 46);
    }
  }

  @Test
  void gathersAndBroadcastsKeepTheOrderOfTheRanks() {
    each(m -> m.allGather(ofRank(m.rank(), 20_000)).join())
        .forEach(
            all -> {
              for (int rank = 0; rank < 4; rank++) {
                assertThat(all.get(rank)).isEqualTo(ofRank(rank, 20_000));
              }
            });
    for (int root = 0; root < 4; root++) {
      int from = root;
      each(m -> m.broadcast(List.of(ofRank(m.rank(), 5_000)), from).join())
          .forEach(got -> assertThat(got).containsExactly(ofRank(from, 5_000)));
    }
    each(m -> m.barrier().join());
  }
}
