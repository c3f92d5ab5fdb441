package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.query.Predicates;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a worker that a hostile Hazelcast client attacks. */
@ExtendWith(Leftovers.class)
class HostileClientTest {
  private static final long MIB = 1 << 20;

  private static JvmCluster cluster;
  private static HazelcastInstance client;

  @TempDir static Path folder;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("A").start();
    client = HazelcastClient.newHazelcastClient(config());
  }

  private static ClientConfig config() {
    ClientConfig config = new ClientConfig().setClusterName(cluster.processes().name());
    config.getNetworkConfig().addAddress(cluster.processes().worker("A").clientEndpoint());
    config
        .getConnectionStrategyConfig()
        .getConnectionRetryConfig()
        .setClusterConnectTimeoutMillis(20_000);
    return config;
  }

  @AfterAll
  static void stop() {
    client.shutdown();
    cluster.close();
  }

  @AfterEach
  void workerIsUnharmed() {
    assertThat(cluster.grid().rpc().sync("A", Counter::whoAmI)).isEqualTo("A");
  }

  /**
   * Writes a file, which shows that code of the client ran on a worker; the workers share this
   * machine's files.
   */
  private static void touch(String file) {
    try {
      Files.createFile(Path.of(file));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Task that names a method of a class on the worker's class path. */
  private interface Task extends Callable<String>, Serializable {}

  private interface Processor extends EntryProcessor<Object, Object, String> {}

  @Test
  void taskIsRefusedWhenItIsLambda() {
    String file = folder.resolve("task").toString();
    Task task =
        () -> {
          touch(file);
          return "ran";
        };
    assertThatThrownBy(() -> client.getExecutorService("x").submit(task).get(20, TimeUnit.SECONDS))
        .hasStackTraceContaining("is not allowed");
    assertThat(Path.of(file)).doesNotExist();
  }

  /** A task of the grid's own classes, with bytes of the client's choice. */
  private static final class ForgedTask implements Callable<Object>, IdentifiedDataSerializable {
    private static final int FACTORY = 7001;
    private static final int CALL = 3;
    private static final int REPLY = 4;
    private static final int POLL = 6;

    private final int type;
    private final byte[] bytes;

    ForgedTask(int type, byte[] bytes) {
      this.type = type;
      this.bytes = bytes;
    }

    @Override
    public Object call() {
      throw new UnsupportedOperationException("runs on a member only");
    }

    @Override
    public int getFactoryId() {
      return FACTORY;
    }

    @Override
    public int getClassId() {
      return type;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
      out.write(bytes);
    }

    @Override
    public void readData(ObjectDataInput in) {
      throw new UnsupportedOperationException("is read by a member only");
    }
  }

  private static Object run(ForgedTask task) throws Exception {
    Member member = client.getCluster().getMembers().iterator().next();
    return client
        .getExecutorService("hazelgrad.calls")
        .submitToMember(task, member)
        .get(20, TimeUnit.SECONDS);
  }

  @Test
  void callIsRefusedWhenItsTaskIsDamaged() {
    Random random = new Random(7);
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      assertThatThrownBy(() -> run(new ForgedTask(ForgedTask.CALL, bytes)))
          .isInstanceOf(ExecutionException.class);
    }
  }

  @Test
  void replyIsDroppedWhenItsAddressIsGuessed() throws Exception {
    ByteBuffer noReplies = ByteBuffer.allocate(2 * Long.BYTES + Long.BYTES + Integer.BYTES);
    noReplies.putLong(0, 1).putLong(Long.BYTES, 2);

    assertThat(run(new ForgedTask(ForgedTask.REPLY, noReplies.array()))).isEqualTo(false);
  }

  @Test
  void pollGetsNothingWhenItNamesNoWorker() throws Exception {
    ByteBuffer poll = ByteBuffer.allocate(4 * Long.BYTES);
    poll.putLong(2 * Long.BYTES, -1);

    assertThat(run(new ForgedTask(ForgedTask.POLL, poll.array()))).isNull();
  }

  @Test
  void entryProcessorIsRefusedWhenItIsLambda() {
    String file = folder.resolve("processor").toString();
    Processor processor =
        entry -> {
          touch(file);
          return "ran";
        };
    assertThatThrownBy(() -> client.getMap("mine").executeOnKey("k", processor))
        .hasStackTraceContaining("is not allowed");
    assertThat(Path.of(file)).doesNotExist();
  }

  @Test
  void classIsRefusedWhenItsReadingHasEffects() throws Exception {
    Map<Object, Object> gadget = new HashMap<>();
    gadget.put(new URL("http", "127.0.0.1", "/"), 1);
    client.getMap("mine").put("gadget", gadget);
    assertThatThrownBy(() -> client.getMap("mine").values(Predicates.equal("size", 1)))
        .hasStackTraceContaining("java.net.URL is not allowed");
    client.getMap("mine").destroy();
  }

  @Test
  void classOfThisProjectIsRefusedWhenNotAllowed() {
    assertThatThrownBy(() -> client.getMap("mine").executeOnKey("k", new ReadValue()))
        .hasStackTraceContaining("ReadValue is not allowed");
  }

  /** Class on the worker's class path. */
  private static final class ReadValue implements Processor {
    @Override
    public String process(Map.Entry<Object, Object> entry) {
      return String.valueOf(entry.getValue());
    }
  }

  @Test
  void jobIsRefusedWhenItCarriesLambda() {
    String file = folder.resolve("job").toString();
    DAG job = new DAG();
    job.newVertex(
        "v",
        () -> {
          touch(file);
          throw new IllegalStateException("ran");
        });
    assertThatThrownBy(() -> client.getJet().newLightJob(job).join())
        .hasStackTraceContaining("SerializedLambda is not allowed");

    // Such a supplier is read without Hazelcast's filter. The JVM's filter refuses it.
    ProcessorMetaSupplier supplier =
        members -> {
          touch(file);
          throw new IllegalStateException("ran");
        };
    DAG another = new DAG();
    another.newVertex("v", supplier);
    assertThatThrownBy(() -> client.getJet().newLightJob(another).join())
        .hasStackTraceContaining("REJECTED");
    assertThat(Path.of(file)).doesNotExist();
  }

  @Test
  void functionIsRefusedWhenNotAllowed() {
    try (GridClient caller = GridClient.connect(config())) {
      Function<Object> exit = Function.named(System.class, "exit", int.class);
      assertThatThrownBy(() -> caller.rpc().sync("A", exit, 1))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_ALLOWED));
    }
  }

  @Test
  void functionIsRefusedWhenUnknown() {
    Object madeHere =
        Proxy.newProxyInstance(
            HostileClientTest.class.getClassLoader(),
            new Class<?>[] {Task.class},
            (proxy, method, arguments) -> "ran");
    try (GridClient caller = GridClient.connect(config())) {
      for (Function<Object> function :
          List.of(
              Function.<Object>named(madeHere.getClass(), "new", InvocationHandler.class),
              Function.<Object>operator("format_disk"),
              Function.<Object>graph("nobodys"))) {
        assertThatThrownBy(() -> caller.rpc().sync("A", function, Tensor.scalar(1)))
            .isInstanceOfSatisfying(
                GridException.class,
                e -> assertThat(e.status()).as("%s", e).isEqualTo(Status.UNKNOWN_FUNCTION));
      }
    }
  }

  @Test
  void valueIsRefusedWhenItsClassIsNotAllowed() {
    try (GridClient caller =
        GridClient.connect(
            config(), HazelgradConfig.named("foreign").values(Foreign.class).build())) {
      Function<Object> echo = Function.named(Counter.class, "echo", Object.class);
      assertThatThrownBy(() -> caller.rpc().sync("A", echo, new Foreign("x")))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_ALLOWED))
          .hasMessageContaining("Foreign");
    }
  }

  /** Record that the client allows and the worker does not. */
  record Foreign(String text) {}

  @Test
  void valueIsRefusedWhenTooLarge() {
    byte[] large = new byte[(int) (120 * MIB)]; // The worker has a heap of 384 MiB.
    try (GridClient caller = GridClient.connect(config())) {
      Function<Object> echo = Function.named(Counter.class, "echo", Object.class);
      assertThatThrownBy(() -> caller.rpc().sync("A", echo, large))
          .isInstanceOfSatisfying(
              GridException.class,
              e -> {
                assertThat(e.status()).as("%s", e).isEqualTo(Status.BAD_VALUE);
                assertThat(e.mayHaveRun()).isFalse();
              })
          .hasMessageContaining("maxRequestBytes=");
    }
  }

  @Test
  @PeerTest(value = "wire_serialisation", client = true)
  void hostileCallsLeaveNoMemoryBehind() throws Exception {
    Random random = new Random(2);
    tryAll(200, random); // Whatever is loaded and cached the first time is not counted.
    long before = cluster.grid().rpc().sync("A", Counter::usedBytes);
    tryAll(1000, random);
    Await.until(
        "the memory of the worker is what it was",
        Duration.ofSeconds(20),
        () -> cluster.grid().rpc().sync("A", Counter::usedBytes) < before + 8 * MIB);
  }

  private void tryAll(int times, Random random) throws Exception {
    Task task = () -> "ran";
    UUID member = cluster.grid().worker("A").incarnation();
    for (int i = 0; i < times; i++) {
      if (i % 4 == 0) {
        Future<String> refused = client.getExecutorService("x").submitToMember(task, on(member));
        assertThatThrownBy(() -> refused.get(20, TimeUnit.SECONDS)).isNotNull();
      } else {
        byte[][] parts = new byte[random.nextInt(5)][];
        for (int part = 0; part < parts.length; part++) {
          parts[part] = new byte[random.nextInt(20_000)];
          random.nextBytes(parts[part]);
        }
        send(parts);
      }
    }
  }

  private static Member on(UUID uuid) {
    return client.getCluster().getMembers().stream()
        .filter(member -> member.getUuid().equals(uuid))
        .findFirst()
        .orElseThrow();
  }

  /** Sends a call with bytes in place of its parts. */
  private static void send(byte[]... parts) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (byte[] part : parts) {
      out.writeInt(part.length);
      out.write(part);
    }
    ForgedTask call = new ForgedTask(ForgedTask.CALL, bytes.toByteArray());
    assertThatThrownBy(() -> run(call)).isInstanceOf(ExecutionException.class);
  }

  @Test
  void connectionIsDroppedWhenBytesAreNoise() throws IOException {
    String[] endpoint = cluster.processes().worker("A").clientEndpoint().split(":", 2);
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      byte[] noise = new byte[1 + random.nextInt(4000)];
      random.nextBytes(noise);
      if (i % 2 == 0 && noise.length > 3) { // It begins like the greeting of a client.
        noise[0] = 'C';
        noise[1] = 'P';
        noise[2] = '2';
        if (i % 4 == 0 && noise.length > 6) { // The next frame has 2 GiB.
          noise[3] = noise[4] = noise[5] = -1;
          noise[6] = 0x7f;
        }
      }
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(endpoint[0], Integer.parseInt(endpoint[1])), 5_000);
        socket.getOutputStream().write(noise);
      } catch (IOException e) {
        // The worker closed the connection before everything was sent.
      }
    }
    assertThat(client.getMap("hazelgrad.workers").size()).isEqualTo(2);
  }
}
