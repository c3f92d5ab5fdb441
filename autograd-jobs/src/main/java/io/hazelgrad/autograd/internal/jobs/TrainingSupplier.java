package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.jet.core.processor.Processors;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.autograd.jobs.StreamProgram;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A vertex of a training job on one member. A member that takes no part has idle processors. */
final class TrainingSupplier implements ProcessorSupplier, IdentifiedDataSerializable {
  private static final long serialVersionUID = 1L;

  private transient TrainingKind kind = TrainingKind.SOURCE;
  private byte[] taskBytes = {};
  private transient List<String> trainers = List.of();
  private boolean takesPart;
  private boolean isFirst;
  private long execution;
  private transient @Nullable Context context;

  /** Creates an empty supplier, for {@link #readData}. */
  TrainingSupplier() {}

  TrainingSupplier(
      TrainingKind kind,
      byte[] taskBytes,
      List<String> trainers,
      boolean takesPart,
      boolean isFirst,
      long execution) {
    this.kind = kind;
    this.taskBytes = taskBytes;
    this.trainers = trainers;
    this.takesPart = takesPart;
    this.isFirst = isFirst;
    this.execution = execution;
  }

  @Override
  public void init(Context jetContext) {
    context = jetContext;
  }

  @Override
  public Collection<? extends Processor> get(int count) {
    if (count != 1) {
      throw new IllegalArgumentException("a vertex has one processor on each member: " + count);
    }
    return List.of(takesPart ? processor() : Processors.noopP().get());
  }

  private Processor processor() {
    Context jet = Objects.requireNonNull(context);
    TrainingService service = TrainingService.on(jet.hazelcastInstance());
    TrainingTask task = service.read(taskBytes);
    LocalRun run = service.run(jet.jobId(), task.options());
    run.begin(execution);
    boolean waiting = trainers.size() < task.options().minTrainers();
    StatusWriter status = new StatusWriter(service, task);
    SnapshotStore snapshots = service.snapshots();
    return switch (kind) {
      case SOURCE -> {
        StreamPosition position = snapshots.position(task.name());
        yield waiting || (position != null && position.isEnd())
            ? Processors.noopP().get()
            : StreamReader.of((StreamProgram<?, ?>) task.program(), run, position, jet);
      }
      case SEQUENCER -> {
        service.statuses().resumed(task.name());
        if (waiting) {
          status.waiting(trainers);
        }
        TrainingState state = snapshots.state(task.name());
        StreamPosition position = snapshots.position(task.name());
        StartState start = task.start();
        yield new Sequencer(
            task,
            run,
            new Newcomers(service.grid(), task.options(), trainers, jet.jobId(), taskBytes),
            state != null ? state.step() : start == null ? 0 : start.step(),
            position == null ? List.of() : position.rows(),
            waiting);
      }
      case TRAINERS ->
          new TrainerProcessor(service, task, run, status, execution, trainers, isFirst);
    };
  }

  @Override
  public void close(@Nullable Throwable failure) {
    Context jet = context;
    if (failure != null && jet != null) {
      String training = Objects.requireNonNull(jet.jobConfig().getName());
      TrainingService.noteFailedStart(jet.hazelcastInstance(), training);
    }
  }

  @Override
  public int getFactoryId() {
    return TrainingSerializerFactory.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return TrainingSerializerFactory.SUPPLIER;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeString(kind.name());
    out.writeByteArray(taskBytes);
    out.writeStringArray(trainers.toArray(String[]::new));
    out.writeBoolean(takesPart);
    out.writeBoolean(isFirst);
    out.writeLong(execution);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    kind = TrainingKind.valueOf(Objects.requireNonNull(in.readString()));
    taskBytes = Objects.requireNonNull(in.readByteArray());
    trainers = List.of(Objects.requireNonNull(in.readStringArray()));
    takesPart = in.readBoolean();
    isFirst = in.readBoolean();
    execution = in.readLong();
  }
}
