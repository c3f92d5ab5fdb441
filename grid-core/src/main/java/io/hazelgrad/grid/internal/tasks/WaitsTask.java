package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.internal.waits.ReportCodec;
import io.hazelgrad.grid.internal.waits.WaitReporter;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.grid.spi.Proofs.Purpose;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import io.hazelgrad.grid.waits.WorkerReport;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Asks a member what its worker waits for. The answer is empty if there is no worker. It is no
 * call, as a worker may have no permit or thread left for one.
 */
public final class WaitsTask extends GridTask<byte[]> {
  private static final byte[] NO_WORKER = {};
  private static final byte[] REFUSED = {0};
  private static final int LEAST_BYTES = 17;

  private long leastMillis;
  private byte[] proof = {};

  /** For the serializer. */
  public WaitsTask() {}

  WaitsTask(long leastMillis, Proofs proofs) {
    this.leastMillis = leastMillis;
    this.proof = proofs.of(Purpose.WAITS, message(leastMillis));
  }

  private static byte[] message(long leastMillis) {
    return new WireOutput(Long.BYTES).int64(leastMillis).toBytes();
  }

  /**
   * The answer of a member.
   *
   * @param names the names of the workers that it knows, by their members
   * @param report null if the member has no worker
   */
  record Answer(boolean isRefused, Map<UUID, String> names, @Nullable WorkerReport report) {
    /** Reads an answer; throws {@link GridException} for damaged bytes. */
    static Answer read(byte[] bytes) {
      if (bytes.length <= 1) {
        return new Answer(bytes.length == 1, Map.of(), null);
      }
      WireInput in = new WireInput(bytes);
      Map<UUID, String> names = new HashMap<>();
      for (int left = in.count(LEAST_BYTES); left > 0; left--) {
        names.put(in.uuid(), in.utf());
      }
      WorkerReport report = ReportCodec.read(in.bytes());
      in.end();
      return new Answer(false, names, report);
    }
  }

  @Override
  public byte[] call() {
    if (!Proofs.of(member()).accept(proof, Purpose.WAITS, message(leastMillis))) {
      return REFUSED;
    }
    Grid running = Grid.running(member());
    if (running == null) {
      return NO_WORKER;
    }
    WaitReporter reporter = running.service(WaitReporter.class);
    Map<UUID, String> names = new HashMap<>();
    for (Member each : member().getCluster().getMembers()) {
      String name = reporter.nameOn(each.getUuid());
      if (name != null) {
        names.put(each.getUuid(), name);
      }
    }
    WireOutput out = new WireOutput(1024).varint(names.size());
    names.forEach((member, name) -> out.uuid(member).utf(name));
    return out.bytes(ReportCodec.write(reporter.report(leastMillis))).toBytes();
  }

  @Override
  public int getClassId() {
    return SerializerIds.WAITS_TASK;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeLong(leastMillis);
    out.writeByteArray(proof);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    leastMillis = in.readLong();
    proof = Request.bytes(in);
  }
}
