package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A wave's vertex on one member. The vertex with the task starts and ends the attempt. */
final class PassSupplier implements ProcessorSupplier, IdentifiedDataSerializable {
  private static final long serialVersionUID = 1L;

  private transient PassId pass = new PassId(0, 0, 0);
  private int wave;
  private byte[] task = PassTask.NONE;

  /*
   * Jet initializes all suppliers before it creates a processor, and closes them after the last
   * processor. But a job that is cancelled early is closed while init() runs, or before it. Hence the
   * lock. Jet's cooperative threads must not wait for it: if there is a task, init() never runs on one,
   * and close() does so only while nobody has the lock. It is not left to Jet's threads for blocking
   * work, because those of a member that shuts down refuse it, and the attempt would stay open.
   */
  private final transient ReentrantLock lock = new ReentrantLock();

  /** The attempt while it is open here. */
  private transient @Nullable JobAttempt attempt;

  private transient boolean closed;

  /** Creates an empty supplier, for {@link #readData}. */
  PassSupplier() {}

  PassSupplier(PassId pass, int wave, byte[] task) {
    this.pass = pass;
    this.wave = wave;
    this.task = task;
  }

  @Override
  public void init(Context context) {
    if (task.length == 0) {
      return;
    }
    lock.lock();
    try {
      if (closed) {
        throw new CancellationException("attempt " + pass + " ended before it started");
      }
      attempt = JobAttempt.open(context.hazelcastInstance(), PassTask.fromBytes(task));
      attempt.start();
    } finally {
      lock.unlock();
    }
  }

  /** Returns false if there is a task: starting may take long in a large graph. */
  @Override
  public boolean initIsCooperative() {
    return task.length == 0;
  }

  @Override
  public Collection<? extends Processor> get(int count) {
    if (count != 1) {
      throw new IllegalArgumentException("a wave has one processor on each member: " + count);
    }
    return List.of(new WaveProcessor(pass, wave));
  }

  @Override
  public void close(@Nullable Throwable error) {
    if (task.length == 0) {
      return;
    }
    lock.lock();
    try {
      closed = true;
      if (attempt != null) {
        attempt.end(error);
        attempt = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns false while {@link #init} runs, since closing waits for it. Jet asks as it closes. */
  @Override
  public boolean closeIsCooperative() {
    return !lock.isLocked();
  }

  @Override
  public int getFactoryId() {
    return AutogradSerializerFactory.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return AutogradSerializerFactory.PASS_SUPPLIER;
  }

  @Override
  public void writeData(ObjectDataOutput target) throws IOException {
    WireOutput out = new WireOutput();
    pass.write(out);
    target.writeByteArray(out.int32(wave).bytes(task).toBytes());
  }

  @Override
  public void readData(ObjectDataInput source) throws IOException {
    WireInput in = new WireInput(Objects.requireNonNull(source.readByteArray()));
    pass = PassId.read(in);
    wave = in.int32();
    task = in.bytes();
    in.end();
  }
}
