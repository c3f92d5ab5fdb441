package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import org.jspecify.annotations.Nullable;

/**
 * Makes durable objects: their value as of the last checkpoint is stored on two workers, and when
 * their owner dies or leaves, another worker becomes the owner.
 *
 * <pre>{@code
 * RRef<Counter> counter =
 *     rrefs.durable(Durability.EVERY_REPLY).remote("w1", Counter::new);
 * int count = counter.sync(Counter::add, 3); // Also if w1 has left meanwhile.
 * }</pre>
 *
 * <p>All workers must allow values of the object's class as arguments. The value may not contain an
 * {@link RRef} or a variable, nor have more than {@link RRefOptions#maxDurableBytes()} bytes. If it
 * cannot be stored, the creation fails, and every use of the reference throws the reason. An object
 * that is {@link AutoCloseable} is closed each time it leaves an owner.
 *
 * <p><b>If the owner is lost</b>, calls wait within their deadline for the next owner. A call that
 * may have run on the lost owner fails with WORKER_LOST and is not run again. {@code toHere()} and
 * {@code type()} are sent again. {@link Durability} says which changes may be lost. If all workers
 * that store the value die together, calls fail with RREF_LOST.
 *
 * <p>Applications use this interface and do not implement it. Threads: safe.
 */
public interface DurableRRefs extends RemoteCreation {
  /**
   * Makes a reference to an object of this worker, as {@link RRefs#local} does. The value is first
   * stored when the reference is first sent to another worker.
   *
   * @throws GridException as {@link RRefs#local}; BAD_VALUE or NOT_ALLOWED if it cannot be stored
   */
  @Override
  <T extends @Nullable Object> RRef<T> local(T value);
}
