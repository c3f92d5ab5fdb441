package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.cluster.Address;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.autograd.internal.jobs.lifecycle.TrainerChoice;
import io.hazelgrad.grid.GridException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A vertex of a training job at Jet's coordinator, which chooses the trainers anew at each start.
 *
 * <p>Jet uses Java serialization for a supplier that is no DataSerializable, so this is one.
 */
final class TrainingMetaSupplier implements ProcessorMetaSupplier, IdentifiedDataSerializable {
  private static final long serialVersionUID = 1L;

  private transient TrainingKind kind = TrainingKind.SOURCE;
  private byte[] task = {};
  private transient @Nullable Context context;

  /** Creates an empty supplier, for {@link #readData}. */
  TrainingMetaSupplier() {}

  TrainingMetaSupplier(TrainingKind kind, byte[] task) {
    this.kind = kind;
    this.task = task;
  }

  @Override
  public void init(Context jetContext) {
    context = jetContext;
  }

  @Override
  public Function<? super Address, ? extends ProcessorSupplier> get(List<Address> addresses) {
    Context jet = Objects.requireNonNull(context);
    TrainingService service = TrainingService.on(jet.hazelcastInstance());
    try {
      TrainerChoice choice =
          service.choose(jet.executionId(), jet.jobId(), task, new HashSet<>(addresses));
      return address -> supplier(choice, address, jet.executionId());
    } catch (GridException e) {
      throw TrainerProcessor.restart(e);
    }
  }

  private TrainingSupplier supplier(TrainerChoice choice, Address address, long execution) {
    boolean isFirst = address.equals(choice.first());
    boolean takesPart =
        isFirst || (kind == TrainingKind.TRAINERS && choice.trainers().containsKey(address));
    List<String> names = List.copyOf(choice.trainers().values());
    return new TrainingSupplier(kind, task, names, takesPart, isFirst, execution);
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
