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
 * A wave's vertex as the coordinator sees it. Wave 0's has each member's {@link PassTask}, the
 * others none.
 *
 * <p>Jet writes a supplier with Java serialization unless it is a DataSerializable; so this is one.
 */
final class PassMetaSupplier implements ProcessorMetaSupplier, IdentifiedDataSerializable {
  private static final long serialVersionUID = 1L;

  private transient PassId pass = new PassId(0, 0, 0);
  private int wave;

  /** From a member's address, as text, to the bytes of its task. */
  private transient Map<String, byte[]> tasks = Map.of();

  /** For {@link AutogradSerializerFactory}. */
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
