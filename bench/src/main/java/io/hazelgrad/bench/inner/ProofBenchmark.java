package io.hazelgrad.bench.inner;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.proof.CallProofs;
import io.hazelgrad.grid.internal.proof.SecretFile;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.Proofs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Measures the proofs of one call: {@link #request} makes and checks that of the request, {@link
 * #envelope} only writes and reads the envelope, which a call without a secret does too.
 */
@State(Scope.Thread)
public class ProofBenchmark {
  private static final byte[] NO_HEADERS = {};

  /** The bytes of the arguments. */
  @Param({"16", "1024", "65536"})
  public int bytes;

  private CallProofs callProofs = new CallProofs(Proofs.NONE);
  private byte[] values = NO_HEADERS;

  /** Makes a secret. */
  @Setup
  public void prepare() throws IOException {
    Path file = Files.createTempFile("secret", null);
    try {
      Files.writeString(file, "the secret of the benchmark");
      HazelgradConfig config = HazelgradConfig.named("bench").secret(file).build();
      callProofs = new CallProofs(SecretFile.proofs(config, null));
    } finally {
      Files.delete(file);
    }
    values = new byte[bytes];
  }

  private Request sent() {
    return new Request(
        new CallId(1, 1),
        new Worker("caller", 1, new UUID(1, 2)),
        new Worker("callee", 2, new UUID(3, 4)),
        Function.operator("add"),
        Long.MAX_VALUE,
        NO_HEADERS,
        values);
  }

  private static Request arrived(Request request) {
    return Request.read(request.envelope(), request.headers(), request.values());
  }

  /** Writes and reads an envelope. */
  @Benchmark
  public Object envelope() {
    return arrived(sent());
  }

  /** Writes and reads an envelope with a proof, which is made and checked. */
  @Benchmark
  public Object request() {
    Request request = arrived(callProofs.prove(sent()));
    callProofs.check(request);
    return request;
  }

  /** Does the same, and makes the proof of an empty reply. */
  @Benchmark
  public Object requestAndReply() {
    Request request = arrived(callProofs.prove(sent()));
    callProofs.check(request);
    Reply[] reply = new Reply[1];
    callProofs.proving(request, it -> reply[0] = it).accept(Reply.value(NO_HEADERS, NO_HEADERS));
    return reply;
  }
}
