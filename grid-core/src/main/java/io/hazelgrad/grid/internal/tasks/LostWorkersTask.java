package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.group.LostWorkers.Lost;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.proof.CallProofs;
import io.hazelgrad.grid.internal.quorum.QuorumService;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.grid.spi.Proofs.Purpose;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.StreamSupport;

/**
 * Tells a member the lost voters that have ended, as the operator states, perhaps none, and asks
 * for the others that its quorum misses. A replay of the message does no harm: a voter id names one
 * process, and that one has ended. The answer is empty if the member refuses the proof.
 */
public final class LostWorkersTask extends GridTask<byte[]> {
  private static final long PATIENCE_SECONDS = 10;
  private static final int LEAST_BYTES = 18;
  private static final byte[] REFUSED = {};

  private byte[] ended = REFUSED;
  private byte[] proof = REFUSED;

  /** For the serializer. */
  public LostWorkersTask() {}

  private LostWorkersTask(byte[] ended, byte[] proof) {
    this.ended = ended;
    this.proof = proof;
  }

  /**
   * Tells and asks the first member with Hazelgrad to which a client is connected. That one tells
   * the others.
   *
   * @throws GridException UNAUTHORIZED if the member has another secret; TIMEOUT if it does not
   *     answer
   */
  public static List<Lost> ask(HazelcastInstance client, Proofs proofs, Collection<UUID> ended) {
    Member member =
        StreamSupport.stream(client.getCluster().getMembers().spliterator(), false)
            .filter(QuorumService::isVoter)
            .findFirst()
            .orElse(null);
    if (member == null) {
      return List.of(); // The quorum is off.
    }
    WireOutput out = new WireOutput(64).varint(ended.size());
    ended.forEach(out::uuid);
    byte[] message = out.toBytes();
    LostWorkersTask task = new LostWorkersTask(message, proofs.of(Purpose.FORCE_LEAVE, message));
    try {
      byte[] answer =
          GridExecutor.submit(GridExecutor.CONTROL.of(client), task, member)
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (answer.length == 0) {
        throw new GridException(
            Status.UNAUTHORIZED,
            "%s refuses the secret: %s".formatted(member.getAddress(), CallProofs.REMEDY));
      }
      return read(answer);
    } catch (InterruptedException e) {
      throw ExceptionMapper.interrupted(e);
    } catch (ExecutionException e) {
      throw ExceptionMapper.of(e);
    } catch (TimeoutException e) {
      throw new GridException(
          Status.TIMEOUT,
          "%s has not answered within %s s".formatted(member.getAddress(), PATIENCE_SECONDS),
          e);
    }
  }

  private static List<Lost> read(byte[] answer) {
    WireInput in = new WireInput(answer);
    int count = in.count(LEAST_BYTES);
    List<Lost> lost = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      lost.add(new Lost(in.utf(), in.uuid(), in.utf()));
    }
    in.end();
    return lost;
  }

  @Override
  public byte[] call() {
    if (!Proofs.of(member()).accept(proof, Purpose.FORCE_LEAVE, ended)) {
      return REFUSED;
    }
    WireInput in = new WireInput(ended);
    List<UUID> voters = new ArrayList<>();
    for (int left = in.count(Long.BYTES * 2); left > 0; left--) {
      voters.add(in.uuid());
    }
    in.end();
    QuorumService quorum = QuorumService.of(member());
    List<Lost> lost = quorum == null ? List.of() : quorum.confirmEnd(voters);
    WireOutput out = new WireOutput(256).varint(lost.size());
    lost.forEach(it -> out.utf(it.name()).uuid(it.voter()).utf(it.address()));
    return out.toBytes();
  }

  @Override
  public int getClassId() {
    return SerializerIds.LOST_WORKERS_TASK;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByteArray(ended);
    out.writeByteArray(proof);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    ended = Request.bytes(in);
    proof = Request.bytes(in);
  }
}
