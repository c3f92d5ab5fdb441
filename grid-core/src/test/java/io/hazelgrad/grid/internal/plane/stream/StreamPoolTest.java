package io.hazelgrad.grid.internal.plane.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.hazelcast.config.Config;
import com.hazelcast.config.SSLConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Eventually;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.plane.transfer.CacheLine;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBufferPool;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import io.hazelgrad.grid.internal.proof.SecretFile;
import io.hazelgrad.grid.spi.Proofs;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Both ends of streams, over real sockets, and what may go wrong between them. */
@Timeout(60)
class StreamPoolTest {
  private static final Worker SENDER = new Worker("sender", 1, new UUID(0, 1));
  private static final Worker RECEIVER = new Worker("receiver", 2, new UUID(0, 2));
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();
  private static final int MANY = (5 << 20) + 3;

  private final PendingTransfers transfers = new PendingTransfers();
  private final ReceiveBufferPool pool = new ReceiveBufferPool(64 << 20);
  private final StreamPool streams = new StreamPool(Proofs.NONE);
  private final AtomicLong remaining = new AtomicLong(Long.MAX_VALUE);
  private final WaitBudget patience = new WaitBudget(SENDER, remaining::get);
  private ExecutorService threads;
  private StreamServer server;

  @BeforeEach
  void open() throws IOException {
    threads = Executors.newCachedThreadPool();
    server = open(Duration.ofMinutes(1));
  }

  private StreamServer open(Duration idle) throws IOException {
    return new StreamServer(HERE, 0, transfers, idle, threads, Proofs.NONE);
  }

  @AfterEach
  void close() throws InterruptedException {
    streams.close();
    server.close();
    threads.shutdown();
    assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).as("all threads end").isTrue();
  }

  private ReceiveBuffer landing(DType dtype, int length) {
    return new ReceiveBuffer(dtype, length, pool);
  }

  private static Storage random(DType dtype, int length) {
    SplittableRandom random = new SplittableRandom(length);
    long[] values = random.longs(length, 0, 2).toArray();
    return Tensor.wrap(values, length).to(dtype).storage();
  }

  private int read(int port, TransferTicket ticket, ReceiveBuffer landing, boolean isReply) {
    return streams.read(
        () -> new InetSocketAddress(HERE, port), ticket, landing, isReply, patience);
  }

  private int read(TransferTicket ticket, ReceiveBuffer landing) {
    return read(server.port(), ticket, landing, false);
  }

  @ParameterizedTest
  @EnumSource
  void elementsOfEveryTypeArrive(DType dtype) {
    for (int length : new int[] {1, 7, 64, 70_001, MANY / dtype.bytes(), 3}) {
      Storage elements = random(dtype, length);
      TransferTicket ticket = transfers.offer(elements, RECEIVER, true);
      ReceiveBuffer landing = landing(dtype, length);

      assertThat(read(ticket, landing)).isEqualTo(length);

      assertThat(landing.storage().toArray()).isEqualTo(elements.toArray());
    }
    assertThat(server.sent().tensors()).isEqualTo(6);
  }

  @Test
  void replyIsForgottenWhenReceivedCompletely() {
    TransferTicket ticket = transfers.offer(random(DType.INT8, MANY), RECEIVER, false);

    assertThat(read(server.port(), ticket, landing(DType.INT8, MANY), true)).isEqualTo(MANY);

    Eventually.until("the transfer is over", () -> transfers.size() == 0);
  }

  @Test
  void largeFloatsAreInReusedMemoryOutsideHeap() {
    Storage elements = random(DType.FLOAT32, MANY / 4);
    TransferTicket ticket = transfers.offer(elements, RECEIVER, true);
    for (int i = 0; i < 20; i++) { // 100 MiB, of 64.
      ReceiveBuffer landing = landing(DType.FLOAT32, MANY / 4);
      assertThat(read(ticket, landing)).isEqualTo(MANY / 4);
      Storage read = landing.storage();
      assertThat(read.isLent()).isTrue();
      assertThat(read.toArray()).isEqualTo(elements.toArray());
      assertThat(pool.lentBytes()).isPositive();
      read.release();
      assertThat(pool.lentBytes()).isZero();
    }
  }

  @Test
  void tensorsAreOnHeapWhenPoolIsFull() {
    TransferTicket ticket = transfers.offer(random(DType.FLOAT32, MANY), RECEIVER, true);
    List<Storage> kept = new ArrayList<>();
    for (int i = 0; i < 4; i++) { // 24 MiB each, with what is rounded up.
      ReceiveBuffer landing = landing(DType.FLOAT32, MANY);
      assertThat(read(ticket, landing)).isEqualTo(MANY);
      kept.add(landing.storage());
    }
    assertThat(kept).extracting(Storage::isLent).containsExactly(true, true, false, false);
    assertThat(pool.lentBytes()).isLessThanOrEqualTo(64 << 20);
    kept.forEach(Storage::release);
    assertThat(pool.lentBytes()).isZero();
  }

  @Test
  void memoryIsNotReusedWhenTensorDidNotArrive() {
    ReceiveBuffer landing = landing(DType.FLOAT32, MANY);
    landing.open();
    ByteBuffer late = landing.target(0);
    assertThat(pool.lentBytes()).isPositive();

    landing.abandon();

    assertThat(pool.lentBytes()).isZero();
    ReceiveBuffer next = landing(DType.FLOAT32, MANY);
    next.open();
    late.putInt(0, 17); // A chunk that arrives after all.
    assertThat(next.storage().getDouble(0)).isZero();
  }

  @Test
  void offeredMemoryIsHeldUntilTransferEnds() {
    int[] given = {0};
    ByteBuffer memory = ByteBuffer.allocateDirect(4 * MANY);
    Storage lent = TensorBytes.lent(DType.FLOAT32, memory, () -> given[0]++);
    TransferTicket ticket = transfers.offer(TensorBytes.retained(lent), RECEIVER, true);

    lent.release();

    assertThat(given[0]).isZero();
    assertThat(read(ticket, landing(DType.FLOAT32, MANY))).isEqualTo(MANY);
    transfers.end(ticket.number());
    assertThat(given[0]).isEqualTo(1);
    assertThat(read(ticket, landing(DType.FLOAT32, MANY))).isZero();
  }

  @Test
  void transferIsRefusedWhenSecretIsWrong() {
    TransferTicket ticket = transfers.offer(random(DType.INT8, MANY), RECEIVER, true);
    TransferTicket guessed = new TransferTicket(ticket.number(), ticket.high(), ticket.low() ^ 1);

    assertThat(read(guessed, landing(DType.INT8, MANY))).isZero();

    assertThat(server.sent().tensors()).isZero();
  }

  @Test
  void noMemoryIsAllocatedWhenSenderHasNoSuchTensor() {
    ReceiveBuffer announced = landing(DType.FLOAT32, MANY);

    assertThat(read(new TransferTicket(1, 2, 3), announced)).isZero();

    assertThat(pool.lentBytes()).isZero();
  }

  @Test
  void transferIsRefusedWhenRangeIsTooLarge() {
    TransferTicket ticket = transfers.offer(random(DType.INT8, 100), RECEIVER, true);

    assertThat(read(ticket, landing(DType.INT8, 101))).isZero();
  }

  @Test
  void repliesArePaddedToCacheLines() throws IOException {
    TransferTicket before = transfers.offer(random(DType.INT8, MANY), RECEIVER, true);
    assertThat(read(before, landing(DType.INT8, MANY))).isEqualTo(MANY);
    TransferTicket ticket =
        transfers.offer(Tensor.full(DType.INT8, 5, 70).storage(), RECEIVER, true);
    try (Socket socket = new Socket(HERE, server.port())) {
      ByteBuffer request = ByteBuffer.allocate(StreamRequest.BYTES);
      new StreamRequest(StreamRequest.Kind.FETCH, ticket, 0, 70).write(request, Proofs.NONE);
      socket.getOutputStream().write(request.array());

      byte[] answer = socket.getInputStream().readNBytes(3 * CacheLine.BYTES);
      byte[] expected = new byte[3 * CacheLine.BYTES];
      expected[0] = 70;
      Arrays.fill(expected, CacheLine.BYTES, CacheLine.BYTES + 70, (byte) 5);
      assertThat(answer).as("nothing of the tensor before it").isEqualTo(expected);
      assertThat(socket.getInputStream().available()).isZero();
    }
  }

  @Test
  void streamIsRefusedWithoutRightSecret(@TempDir Path folder) throws IOException {
    Proofs right = proofs(Files.writeString(folder.resolve("right"), "sixteen bytes or more"));
    Proofs wrong = proofs(Files.writeString(folder.resolve("wrong"), "others, also sixteen"));
    TransferTicket ticket = transfers.offer(random(DType.INT8, MANY), RECEIVER, true);
    try (StreamServer closed =
            new StreamServer(HERE, 0, transfers, Duration.ofMinutes(1), threads, right);
        StreamPool member = new StreamPool(right);
        StreamPool stranger = new StreamPool(wrong)) {
      StreamPool.Address address = () -> new InetSocketAddress(HERE, closed.port());
      for (StreamPool refused : List.of(streams, stranger)) {
        ReceiveBuffer landing = landing(DType.INT8, MANY);
        assertThat(refused.read(address, ticket, landing, false, patience)).isZero();
      }

      ReceiveBuffer landing = landing(DType.INT8, MANY);
      assertThat(member.read(address, ticket, landing, false, patience)).isEqualTo(MANY);

      try (Socket socket = new Socket(HERE, closed.port())) {
        ByteBuffer request = ByteBuffer.allocate(StreamRequest.BYTES);
        new StreamRequest(StreamRequest.Kind.FETCH, ticket, 0, 70).write(request, wrong);
        socket.getOutputStream().write(request.array());
        byte[] answer = socket.getInputStream().readNBytes(CacheLine.BYTES);
        assertThat(ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getLong())
            .isEqualTo(StreamRequest.REFUSED);
      }
    }
  }

  private static Proofs proofs(Path secret) {
    return SecretFile.proofs(HazelgradConfig.named("x").secret(secret).build(), null);
  }

  @Test
  void connectionIsClosedWhenProtocolIsWrong() throws IOException {
    try (Socket socket = new Socket(HERE, server.port())) {
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n".getBytes(StandardCharsets.UTF_8));

      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
  }

  @Test
  void streamEndsWithItsTransfer() throws IOException {
    TransferTicket ticket = transfers.offer(random(DType.INT8, 64 << 20), RECEIVER, true);
    try (Socket socket = new Socket(HERE, server.port())) {
      ByteBuffer request = ByteBuffer.allocate(StreamRequest.BYTES);
      new StreamRequest(StreamRequest.Kind.FETCH, ticket, 0, 64 << 20).write(request, Proofs.NONE);
      socket.getOutputStream().write(request.array());
      assertThat(socket.getInputStream().readNBytes(1 << 20)).hasSize(1 << 20);

      transfers.end(ticket.number()); // While the sender waits for room in the socket.

      assertThat(drain(socket.getInputStream())).isLessThan(63L << 20);
    }
  }

  /** Returns how much still comes, until the stream ends in whatever way. */
  private static long drain(InputStream in) {
    long sum = 0;
    try {
      byte[] some = new byte[1 << 16];
      for (int read = in.read(some); read >= 0; read = in.read(some)) {
        sum += read;
      }
    } catch (IOException e) {
      // Reset: what was not sent yet does not come.
    }
    return sum;
  }

  @Test
  void keptStreamIsReplacedWhenClosed() throws Exception {
    TransferTicket ticket = transfers.offer(random(DType.INT8, MANY), RECEIVER, true);
    assertThat(read(ticket, landing(DType.INT8, MANY))).isEqualTo(MANY);
    int port = server.port();
    server.close();
    Eventually.until("the port is free", () -> isFree(port));
    server = new StreamServer(HERE, port, transfers, Duration.ofMinutes(1), threads, Proofs.NONE);

    assertThat(read(ticket, landing(DType.INT8, MANY))).isEqualTo(MANY);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(HERE, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void unservedPortIsNotTriedAgainAtOnce() throws IOException {
    TransferTicket ticket = transfers.offer(random(DType.INT8, MANY), RECEIVER, true);
    int port = server.port();
    int unserved;
    try (ServerSocket socket = new ServerSocket(0, 1, HERE)) {
      unserved = socket.getLocalPort();
    }

    assertThat(read(unserved, ticket, landing(DType.INT8, MANY), false)).isZero();
    assertThat(read(port, ticket, landing(DType.INT8, MANY), false)).isZero();
  }

  @Test
  void senderIsUnreachableWhenAddressIsUnknown() {
    TransferTicket ticket = transfers.offer(random(DType.INT8, MANY), RECEIVER, true);
    StreamPool.Address nowhere =
        () -> {
          throw new UnknownHostException("nowhere");
        };

    assertThat(streams.read(nowhere, ticket, landing(DType.INT8, MANY), false, patience)).isZero();
  }

  @Test
  void memberHasNoPortWhenItEncryptsConnections() {
    Config plain = new Config();
    Config simple = new Config();
    simple.getNetworkConfig().setSSLConfig(new SSLConfig().setEnabled(true));
    Config advanced = new Config();
    advanced.getAdvancedNetworkConfig().setEnabled(true);
    ServerSocketEndpointConfig members = new ServerSocketEndpointConfig();
    members.setSSLConfig(new SSLConfig().setEnabled(true));
    advanced.getAdvancedNetworkConfig().setMemberEndpointConfig(members);

    assertThat(StreamServer.isEncrypted(plain)).isFalse();
    assertThat(StreamServer.isEncrypted(simple)).isTrue();
    assertThat(StreamServer.isEncrypted(advanced)).isTrue();
  }

  @Test
  void elementsAreKeptWhenStreamBreaksAfterThem() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, HERE)) {
      Future<Integer> sender = sendPart(socket, 1001, false);

      assertThat(readPart(socket)).as("whole elements").isEqualTo(250);

      assertThat(sender.get()).isZero();
    }
  }

  @Test
  void silentStreamEndsAndPortIsNotTriedAgainAtOnce() throws Exception {
    TransferTicket known = transfers.offer(random(DType.INT8, MANY), RECEIVER, true);
    try (ServerSocket socket = new ServerSocket(0, 1, HERE)) {
      Future<Integer> sender = sendPart(socket, 1000, true);

      assertThat(readPart(socket)).as("elements before the silence").isEqualTo(250);

      assertThat(sender.get()).as("the connection was closed").isEqualTo(-1);
      assertThat(read(known, landing(DType.INT8, MANY))).as("chunks come instead").isZero();
    }
  }

  /** Sends a part of 400 floats to one receiver, then closes the connection or falls silent. */
  private Future<Integer> sendPart(ServerSocket socket, int bytes, boolean isSilent) {
    return threads.submit(
        () -> {
          try (Socket accepted = socket.accept()) {
            accepted.getInputStream().readNBytes(StreamRequest.BYTES);
            OutputStream out = accepted.getOutputStream();
            out.write(lengthOf(4 * 400));
            out.write(new byte[bytes]);
            return isSilent ? accepted.getInputStream().read() : 0;
          }
        });
  }

  private int readPart(ServerSocket sender) {
    return read(
        sender.getLocalPort(), new TransferTicket(1, 2, 3), landing(DType.FLOAT32, 400), false);
  }

  @Test
  void answersToUnknownTicketsPinNoBuffersOfPieces() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        Socket socket = new Socket(HERE, server.port());
        sockets.add(socket);
        ByteBuffer request = ByteBuffer.allocate(StreamRequest.BYTES);
        new StreamRequest(StreamRequest.Kind.FETCH, new TransferTicket(1, 2, i), 0, 70)
            .write(request, Proofs.NONE);
        socket.getOutputStream().write(request.array());
      }
      for (Socket socket : sockets) {
        byte[] answer = socket.getInputStream().readNBytes(CacheLine.BYTES);
        assertThat(ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getLong())
            .isEqualTo(StreamRequest.GONE);
      }
      assertThat(server.keptBuffers()).isZero();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static byte[] lengthOf(long bytes) {
    return ByteBuffer.allocate(CacheLine.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(bytes)
        .array();
  }

  /** Reads from a sender that never answers; ends when {@code end} has done its part. */
  private void assertEndsWith(Status status, Waiting end) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, HERE)) {
      CountDownLatch asked = new CountDownLatch(1);
      Future<?> sender =
          threads.submit(
              () -> {
                try (Socket accepted = silent.accept()) {
                  accepted.getInputStream().readNBytes(StreamRequest.BYTES);
                  asked.countDown();
                  return accepted.getInputStream().read();
                }
              });
      Thread reader = Thread.currentThread();
      threads.execute(
          () -> {
            try {
              asked.await();
              end.end(reader);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });

      assertThatExceptionOfType(GridException.class)
          .isThrownBy(
              () -> {
                int there =
                    read(
                        silent.getLocalPort(),
                        new TransferTicket(1, 2, 3),
                        landing(DType.INT8, MANY),
                        false);
                throw new GridException(Status.CLOSED, "there are " + there);
              })
          .matches(e -> e.status() == status, "" + status)
          .withMessageContaining(status == Status.CLOSED ? "there are 0" : "sender");
      assertThat(Thread.interrupted()).isEqualTo(status == Status.CANCELLED);
      assertThat(sender.get()).as("the connection was closed").isEqualTo(-1);
    }
  }

  private interface Waiting {
    void end(Thread reader);
  }

  @Test
  void waitEndsWithCall() throws Exception {
    assertEndsWith(Status.TIMEOUT, reader -> remaining.set(0));
  }

  @Test
  void waitEndsWhenThreadIsInterrupted() throws Exception {
    assertEndsWith(Status.CANCELLED, Thread::interrupt);
  }

  @Test
  void waitEndsWhenSenderIsLost() throws Exception {
    assertEndsWith(Status.CLOSED, reader -> streams.close());
  }

  @Test
  void connectionIsRefusedUntilPlaceIsFree() throws IOException {
    TransferTicket ticket = transfers.offer(random(DType.FLOAT32, 100), RECEIVER, true);
    List<Socket> others = new ArrayList<>();
    try {
      for (int i = 0; i < StreamServer.MAX_CONNECTIONS; i++) {
        others.add(new Socket(HERE, server.port()));
      }
      try (Socket late = new Socket(HERE, server.port())) {
        assertThat(late.getInputStream().read()).as("the end").isNegative();
      }
      assertThat(read(ticket, landing(DType.FLOAT32, 100))).isZero();

      others.remove(0).close();

      Eventually.until(
          "one more is served", () -> read(ticket, landing(DType.FLOAT32, 100)) == 100);
    } finally {
      for (Socket other : others) {
        other.close();
      }
    }
  }

  @Test
  void connectionIsClosedWithoutRequest() throws IOException {
    StreamServer impatient = open(Duration.ofMillis(10));
    try (Socket silent = new Socket(HERE, impatient.port())) {
      assertThat(silent.getInputStream().read()).as("the end").isNegative();
    } finally {
      impatient.close();
    }
  }
}
