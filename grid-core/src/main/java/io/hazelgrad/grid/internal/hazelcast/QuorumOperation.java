package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.internal.cluster.impl.operations.JoinOperation;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.spi.impl.operationservice.Operation;
import io.hazelgrad.grid.internal.quorum.Quorum.Agreement;
import io.hazelgrad.grid.internal.quorum.Quorum.Report;
import io.hazelgrad.grid.internal.quorum.QuorumService;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Carries a report to another member and its report back. It is an operation of the kind that
 * Hazelcast also lets through between members of different clusters, since a side that was cut off
 * looks for the other by it. (Hazelcast knows that kind by its own class loader: where an
 * application server loads Hazelcast and Hazelgrad apart, a side without quorum stays alone until
 * it is started anew.)
 */
public final class QuorumOperation extends Operation
    implements JoinOperation, IdentifiedDataSerializable {
  private static final int MOST_VOTERS = 100_000;

  private @Nullable String cluster;
  private @Nullable Report report;
  private boolean leaving;
  private @Nullable Object answer;

  /** For the serializer. */
  public QuorumOperation() {}

  QuorumOperation(String cluster, Report report, boolean leaving) {
    this.cluster = cluster;
    this.report = report;
    this.leaving = leaving;
  }

  @Override
  public void run() {
    QuorumService keeper = QuorumService.of(getNodeEngine().getHazelcastInstance());
    boolean isOfThisGrid = getNodeEngine().getConfig().getClusterName().equals(cluster);
    if (keeper != null && isOfThisGrid) { // Another grid may listen at the address of a lost one.
      answer =
          new Answer(keeper.answer(Objects.requireNonNull(report), getCallerAddress(), leaving));
    }
  }

  @Override
  public @Nullable Object getResponse() {
    return answer;
  }

  @Override
  public int getFactoryId() {
    return SerializerIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return SerializerIds.QUORUM;
  }

  @Override
  protected void writeInternal(ObjectDataOutput out) throws IOException {
    out.writeString(cluster);
    out.writeBoolean(leaving);
    write(Objects.requireNonNull(report), out);
  }

  @Override
  protected void readInternal(ObjectDataInput in) throws IOException {
    cluster = in.readString();
    leaving = in.readBoolean();
    report = read(in);
  }

  private static void write(Report report, ObjectDataOutput out) throws IOException {
    write(List.of(report.voter()), out);
    write(report.view(), out);
    out.writeLong(report.agreement().epoch());
    write(report.agreement().voters(), out);
    write(report.dead(), out);
    out.writeBoolean(report.able());
    out.writeBoolean(report.held());
  }

  private static Report read(ObjectDataInput in) throws IOException {
    List<UUID> voter = readVoters(in);
    if (voter.size() != 1) {
      throw new IOException("a report is of one voter, got " + voter.size());
    }
    List<UUID> view = readVoters(in);
    Agreement agreement = new Agreement(in.readLong(), readVoters(in));
    List<UUID> dead = readVoters(in);
    return new Report(voter.get(0), view, agreement, dead, in.readBoolean(), in.readBoolean());
  }

  private static void write(List<UUID> voters, ObjectDataOutput out) throws IOException {
    out.writeInt(voters.size());
    for (UUID voter : voters) {
      out.writeLong(voter.getMostSignificantBits());
      out.writeLong(voter.getLeastSignificantBits());
    }
  }

  private static List<UUID> readVoters(ObjectDataInput in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > MOST_VOTERS) {
      throw new IOException("no list has " + count + " voters");
    }
    List<UUID> voters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      voters.add(new UUID(in.readLong(), in.readLong()));
    }
    return voters;
  }

  /** A report as an answer. */
  public static final class Answer implements IdentifiedDataSerializable {
    private @Nullable Report report;

    /** For the serializer. */
    public Answer() {}

    Answer(Report report) {
      this.report = report;
    }

    Report report() {
      return Objects.requireNonNull(report);
    }

    @Override
    public int getFactoryId() {
      return SerializerIds.FACTORY;
    }

    @Override
    public int getClassId() {
      return SerializerIds.QUORUM_ANSWER;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
      write(report(), out);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
      report = read(in);
    }
  }
}
