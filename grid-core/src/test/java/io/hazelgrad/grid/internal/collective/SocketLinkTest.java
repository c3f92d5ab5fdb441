package io.hazelgrad.grid.internal.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.collective.Reduction;
import io.hazelgrad.grid.internal.collective.vector.Elements;
import io.hazelgrad.grid.internal.collective.vector.Results;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rings of leaders in one process, over sockets. */
final class SocketLinkTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<RingLink> links = new ArrayList<>();
  private final AtomicReference<@Nullable GridException> end = new AtomicReference<>();

  @AfterEach
  void close() {
    links.forEach(RingLink::close);
    threads.shutdownNow();
  }

  private static Worker worker(int place) {
    return new Worker("w" + place, place, UUID.randomUUID());
  }

  /** Connects leaders and returns their rings by place. */
  private List<Ring> rings(int hosts) throws IOException {
    List<SocketChannel> next = new ArrayList<>();
    List<SocketChannel> previous = new ArrayList<>();
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      for (int place = 0; place < hosts; place++) {
        next.add(SocketChannel.open(server.getLocalAddress()));
        previous.add(server.accept());
        next.get(place).configureBlocking(false);
        previous.get(place).configureBlocking(false);
      }
    }
    List<Ring> rings = new ArrayList<>();
    for (int place = 0; place < hosts; place++) {
      int before = (place + hosts - 1) % hosts;
      RingChannels channels = new RingChannels(previous.get(before), next.get(place));
      links.add(new SocketLink(channels, worker(before), worker((place + 1) % hosts)));
      rings.add(new Ring(links.get(place), hosts, place));
    }
    return rings;
  }

  private RoundControl control() {
    return new RoundControl(() -> "the round", TimeUnit.SECONDS.toNanos(60), end::get);
  }

  private static RoundSignature allReduce(Tensor tensor, Reduction reduction) {
    return RoundSignature.of(RoundSignature.Kind.ALL_REDUCE, List.of(tensor), reduction, 0);
  }

  private CompletableFuture<Tensor> begin(Ring ring, Tensor tensor, Reduction reduction, int by) {
    return CompletableFuture.supplyAsync(
        () -> {
          Results results = new Results(tensor.dtype(), List.of(tensor.shape()));
          RoundSignature signature = allReduce(tensor, reduction);
          ring.allReduce(Elements.of(List.of(tensor)), results, signature, by, control());
          return results.tensors().get(0);
        },
        threads);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void leadersGetTheSameSumsForVectorsOfAnyLength(int hosts) throws IOException {
    List<Ring> rings = rings(hosts);
    Random random = new Random(hosts);
    int[] lengths =
        IntStream.concat(
                IntStream.of(1, 15, 16, 17, 16_384, 16_385, 65_537, 300_001),
                random.ints(12, 1, 250_000))
            .toArray();
    for (int length : lengths) { // One after the other on the same connections.
      List<Tensor> values = new ArrayList<>();
      long[] sums = new long[length];
      for (int place = 0; place < hosts; place++) {
        long[] own = random.longs(length, -1000, 1000).toArray();
        Arrays.setAll(sums, i -> sums[i] + own[i]);
        values.add(Tensor.wrap(own, length));
      }
      List<CompletableFuture<Tensor>> results = new ArrayList<>();
      for (int place = 0; place < hosts; place++) {
        results.add(begin(rings.get(place), values.get(place), Reduction.SUM, 1));
      }
      for (CompletableFuture<Tensor> each : results) {
        assertThat(each.join().toLongs()).as("length %s", length).isEqualTo(sums);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 100_000})
  void meansAreDividedOnce(int length) throws IOException {
    List<Ring> rings = rings(3);
    List<CompletableFuture<Tensor>> means = new ArrayList<>();
    for (int place = 0; place < 3; place++) {
      Tensor values = Tensor.full(DType.FLOAT32, 2 * place, length);
      means.add(begin(rings.get(place), values, Reduction.MEAN, 3));
    }
    float[] twos = new float[length];
    Arrays.fill(twos, 2);
    means.forEach(each -> assertThat(each.join().toFloats()).isEqualTo(twos));
  }

  @Test
  void leaderThatMakesAnotherRoundIsNamed() throws IOException {
    List<Ring> rings = rings(2);
    Tensor values = Tensor.full(DType.FLOAT32, 1, 10);
    CompletableFuture<Tensor> sum = begin(rings.get(0), values, Reduction.SUM, 1);
    CompletableFuture<Tensor> most = begin(rings.get(1), values, Reduction.MAX, 1);
    assertFails(sum, Status.BAD_ARGUMENT, "does not fit what worker w1 called: all-reduce (MAX)");
    assertFails(most, Status.BAD_ARGUMENT, "does not fit what worker w0 called: all-reduce (SUM)");
  }

  @Test
  void brokenConnectionEndsTheRoundWithTheReasonOfTheCollective() throws IOException {
    List<Ring> rings = rings(2);
    CompletableFuture<Tensor> sum =
        begin(rings.get(0), Tensor.full(DType.FLOAT32, 1, 1 << 20), Reduction.SUM, 1);
    links.get(1).close();
    end.set(new GridException(Status.WORKER_LOST, "worker w1 was lost"));
    assertFails(sum, Status.WORKER_LOST, "worker w1 was lost");
  }

  private static void assertFails(CompletableFuture<Tensor> round, Status status, String text) {
    assertThatThrownBy(round::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(GridException.class, e -> assertThat(e.status()).isEqualTo(status))
        .hasMessageContaining(text);
  }
}
