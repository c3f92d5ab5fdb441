package io.hazelgrad.grid.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

import com.hazelcast.internal.nio.BufferObjectDataOutput;
import com.hazelcast.internal.serialization.InternalSerializationService;
import com.hazelcast.internal.serialization.impl.DefaultSerializationServiceBuilder;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.hazelgrad.grid.Calls;
import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.MethodReferenceResolverTest;
import io.hazelgrad.grid.RemoteError;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import io.hazelgrad.grid.internal.function.MethodFunction;
import io.hazelgrad.grid.internal.function.RemoteFunction.ServiceFunction;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.WireOutput;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests, replies and headers that no worker wrote. */
class EnvelopeFuzzTest {
  private static final long SEED = Long.getLong("hazelgrad.seed", 20_261_121L);
  private static final int INPUTS = Boolean.getBoolean("hazelgrad.tests.full") ? 30_000 : 6_000;
  private static final long LIMIT = 256 * 1024;
  private static final InternalSerializationService HAZELCAST =
      new DefaultSerializationServiceBuilder().build();

  private final AllowList allowed =
      new AllowList(Set.of(), Set.of(), EnvelopeFuzzTest.class.getClassLoader());
  private final FunctionRegistry callables = new FunctionRegistry(allowed, Map.of());

  @AfterAll
  static void end() {
    HAZELCAST.dispose();
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }

  /** Writes something with Hazelcast's output. */
  private interface Writer {
    void write(BufferObjectDataOutput out) throws IOException;
  }

  private static byte[] bytes(Writer writer) {
    BufferObjectDataOutput out = HAZELCAST.createObjectDataOutput();
    try {
      writer.write(out);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return out.toByteArray();
  }

  /** Reads something; throws what is wrong with it. */
  private interface Reader {
    void read(byte[] bytes) throws Exception;
  }

  private static Map<String, Integer> fuzz(List<byte[]> good, Reader reader) {
    Map<String, Integer> outcomes = new TreeMap<>();
    for (int i = 0; i < INPUTS; i++) {
      byte[] bytes = Mutations.mutate(good, new SplittableRandom(SEED + i));
      outcomes.merge(outcome(bytes, reader, "seed " + (SEED + i)), 1, Integer::sum);
    }
    return outcomes;
  }

  private static String outcome(byte[] bytes, Reader reader, String what) {
    String outcome = "";
    long used = Long.MAX_VALUE;
    for (int attempt = 0; attempt < 2 && used > LIMIT; attempt++) { // The first may load classes.
      long before = allocated();
      Throwable thrown = catchThrowable(() -> reader.read(bytes));
      used = allocated() - before;
      if (thrown instanceof GridException e) {
        outcome = e.status().name();
      } else if (thrown == null) {
        outcome = "read";
      } else if (thrown instanceof IOException
          || thrown instanceof IndexOutOfBoundsException
          || thrown instanceof HazelcastSerializationException) {
        outcome = "refused"; // By Hazelcast: the sender hears of it, as of any unknown operation.
      } else {
        fail(what, thrown);
      }
    }
    assertThat(used).as(what).isLessThan(LIMIT);
    return outcome;
  }

  @Test
  @Timeout(60)
  void requests() {
    List<byte[]> good = new ArrayList<>();
    for (Function<?> function :
        List.of(
            Function.of(Calls::add),
            Function.of(Calls::plus),
            Function.named(Calls.class, "new", int.class),
            Function.operator("add"),
            new ServiceFunction<>("probe.echo"))) {
      Request request =
          new Request(
              new CallId(1, 7),
              TestCodecs.ALICE,
              TestCodecs.ALICE,
              function,
              1_000_000,
              new byte[3],
              new byte[20]);
      good.add(bytes(request::write));
    }
    Map<String, Integer> outcomes =
        fuzz(
            good,
            bytes -> {
              Request read = Request.read(HAZELCAST.createObjectDataInput(bytes));
              assertThat(read.toString()).isNotEmpty();
              if (read.function() instanceof MethodFunction<?> f) {
                assertThat(callables.method(f)).isNotNull();
              } else if (read.function() instanceof ServiceFunction<?> f) {
                assertThat(f.body(callables, List.of(), null)).isNotNull();
              }
            });
    assertThat(outcomes).containsKeys("read", "refused", "UNKNOWN_FUNCTION");
    outcomes.keySet().removeAll(Set.of("read", "refused", "UNKNOWN_FUNCTION", "NOT_ALLOWED"));
    assertThat(outcomes).isEmpty();
  }

  @Test
  @Timeout(60)
  void replies() {
    GridException thrown =
        RemoteErrorCodec.thrown(new IllegalStateException("why"), "f()", TestCodecs.ALICE);
    CallId call = new CallId(1, 2);
    List<byte[]> good =
        List.of(
            bytes(Reply.failure(thrown).to(call)::writeData),
            bytes(Reply.failure(new GridException(Status.TIMEOUT, "late")).to(call)::writeData),
            bytes(Reply.value(new byte[2], new byte[30]).to(call)::writeData));
    Map<String, Integer> outcomes =
        fuzz(
            good,
            bytes -> {
              Reply reply = new Reply();
              reply.readData(HAZELCAST.createObjectDataInput(bytes));
              GridException failure = reply.failure();
              if (failure != null) {
                assertThat(RemoteErrorCodec.arrived(failure, allowed, "bob")).isNotNull();
              }
            });
    assertThat(outcomes).containsOnlyKeys("read", "refused");
  }

  @Test
  void absentArrayTakesNoMemory() {
    byte[] lie = bytes(out -> out.writeInt(Integer.MAX_VALUE));
    String refused =
        outcome(lie, bytes -> Request.bytes(HAZELCAST.createObjectDataInput(bytes)), "the lie");
    assertThat(refused).isEqualTo("refused");
  }

  @Test
  void headers() {
    MessageCodec wire =
        new MessageCodec(allowed, new Codecs(List.of()), new ObjectCodecs(List.of()));
    byte[] values = TestCodecs.encode(TestCodecs.codec(), "value");
    WireOutput out = new WireOutput();
    out.int8(1).bytes(new byte[] {1, 2, 3}).int8(-5).bytes(new byte[0]).int8(9).bytes(new byte[40]);
    Map<String, Integer> outcomes =
        fuzz(List.of(out.toBytes()), bytes -> wire.read(bytes, values, TestCodecs.arriving()));
    assertThat(outcomes).containsOnlyKeys("read", "BAD_VALUE");
  }

  @Test
  void exceptionsOfAnyNameAndText() {
    SplittableRandom random = new SplittableRandom(SEED);
    List<String> names =
        List.of(
            "java.lang.Runtime",
            "java.lang.OutOfMemoryError",
            "java.lang.Thread",
            "java.lang.reflect.InvocationTargetException",
            "java.io.UncheckedIOException",
            "[Ljava.lang.Throwable;",
            "",
            "no.such.Type",
            "java.lang.invoke.WrongMethodTypeException",
            MethodReferenceResolverTest.Bomb.class.getName());
    for (int i = 0; i < 2000; i++) {
      StringBuilder name = new StringBuilder(names.get(random.nextInt(names.size())));
      if (random.nextBoolean() && name.length() > 0) {
        name.setCharAt(random.nextInt(name.length()), (char) random.nextInt(128));
      }
      RemoteError remote = new RemoteError("w", name.toString(), "m" + i, List.of("f"));
      GridException arrived =
          RemoteErrorCodec.arrived(
              new GridException(Status.USER_ERROR, "text", true, remote, null), allowed, "w");
      if (arrived.getCause() != null) {
        assertThat(arrived.getCause().getClass().getName()).isEqualTo(name.toString());
        assertThat(arrived.getCause()).hasMessage("m" + i);
      }
    }
    assertThat(System.getProperty(MethodReferenceResolverTest.Bomb.PROPERTY)).isNull();
  }
}
