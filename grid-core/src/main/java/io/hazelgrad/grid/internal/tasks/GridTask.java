package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A task of ours on the member that runs it. */
abstract class GridTask<T>
    implements Callable<T>, HazelcastInstanceAware, IdentifiedDataSerializable {
  private @Nullable HazelcastInstance member;

  @Override
  public final void setHazelcastInstance(HazelcastInstance instance) {
    member = instance;
  }

  final HazelcastInstance member() {
    return Objects.requireNonNull(member);
  }

  /** Returns the endpoint of the member's worker, or null if it is none yet or any more. */
  final @Nullable TaskEndpoint endpoint() {
    Grid running = Grid.running(member());
    return running instanceof TaskEndpoint.Host host ? host.tasks() : null;
  }

  @Override
  public final int getFactoryId() {
    return SerializerIds.FACTORY;
  }
}
