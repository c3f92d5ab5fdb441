package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.cluster.Address;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * The vertex of a wave at Jet's coordinator. That of wave 0 holds the {@link PassTask} of each
 * member, the others hold none.
 *
 * <p>Jet uses Java serialization for a supplier that is no DataSerializable, so this is one.
 */
final class PassMetaSupplier implements ProcessorMetaSupplier, IdentifiedDataSerializable {
  private static final long serialVersionUID = 1L;

  private transient PassId pass = new PassId(0, 0, 0);
  private int wave;

  /** The bytes of each member's task, by the member's address as text. */
  private transient Map<String, byte[]> tasks = Map.of();

  /** Creates an empty supplier, for {@link #readData}. */
  PassMetaSupplier() {}

  PassMetaSupplier(PassId pass, int wave, Map<String, byte[]> tasks) {
    this.pass = pass;
    this.wave = wave;
    this.tasks = tasks;
  }

  @Override
  public Function<? super Address, ? extends ProcessorSupplier> get(List<Address> addresses) {
    return address ->
        new PassSupplier(pass, wave, tasks.getOrDefault(address.toString(), PassTask.NONE));
  }

  @Override
  public int preferredLocalParallelism() {
    return 1;
  }

  @Override
  public boolean initIsCooperative() {
    return true;
  }

  @Override
  public boolean closeIsCooperative() {
    return true;
  }

  @Override
  public int getFactoryId() {
    return AutogradSerializerFactory.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return AutogradSerializerFactory.PASS_META_SUPPLIER;
  }

  @Override
  public void writeData(ObjectDataOutput target) throws IOException {
    WireOutput out = new WireOutput();
    pass.write(out);
    out.int32(wave).varint(tasks.size());
    tasks.forEach((address, task) -> out.utf(address).bytes(task));
    target.writeByteArray(out.toBytes());
  }

  @Override
  public void readData(ObjectDataInput source) throws IOException {
    WireInput in = new WireInput(Objects.requireNonNull(source.readByteArray()));
    pass = PassId.read(in);
    wave = in.int32();
    tasks = new HashMap<>();
    for (int count = in.count(2); count > 0; count--) {
      tasks.put(in.utf(), in.bytes());
    }
    in.end();
  }
}
