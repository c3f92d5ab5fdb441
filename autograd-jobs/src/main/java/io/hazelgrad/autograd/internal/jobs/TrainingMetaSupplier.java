package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * A vertex of a training job at Jet's coordinator, which chooses the trainers anew at each start.
 *
 * <p>Jet uses Java serialization for a supplier that is no DataSerializable, so this is one.
 */
final class TrainingMetaSupplier implements ProcessorMetaSupplier, IdentifiedDataSerializable {
  private static final long serialVersionUID = 1L;

  private transient TrainingKind kind = TrainingKind.SOURCE;
  private byte[] task = {};
  private transient TrainerChoice choice = new TrainerChoice(List.of(), null, true);
  private transient Map<Address, String> workers = Map.of();
  private transient long execution;

  /** Creates an empty supplier, for {@link #readData}. */
  TrainingMetaSupplier() {}

  TrainingMetaSupplier(TrainingKind kind, byte[] task) {
    this.kind = kind;
    this.task = task;
  }

  @Override
  public void init(Context context) {
    TrainingService service = TrainingService.on(context.hazelcastInstance());
    execution = context.executionId();
    Map<Address, String> found = new HashMap<>();
    try {
      choice = service.choose(execution, service.read(task).options());
      for (Member member : context.hazelcastInstance().getCluster().getMembers()) {
        Worker worker = service.grid().directory().on(member.getUuid());
        if (worker != null) {
          found.put(member.getAddress(), worker.name());
        }
      }
    } catch (GridException e) {
      throw TrainerProcessor.restart(e);
    }
    workers = found;
  }

  @Override
  public Function<? super Address, ? extends ProcessorSupplier> get(List<Address> addresses) {
    return address -> {
      String worker = workers.getOrDefault(address, "");
      boolean isFirst = worker.equals(choice.first());
      boolean takesPart =
          isFirst || (kind == TrainingKind.TRAINERS && choice.trainers().contains(worker));
      return new TrainingSupplier(kind, task, choice.trainers(), takesPart, isFirst, execution);
    };
  }

  @Override
  public int preferredLocalParallelism() {
    return 1;
  }

  @Override
  public int getFactoryId() {
    return TrainingSerializerFactory.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return TrainingSerializerFactory.META_SUPPLIER;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeString(kind.name());
    out.writeByteArray(task);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    kind = TrainingKind.valueOf(Objects.requireNonNull(in.readString()));
    task = Objects.requireNonNull(in.readByteArray());
  }
}
