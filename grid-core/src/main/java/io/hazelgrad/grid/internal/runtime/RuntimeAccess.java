package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Worker;
import java.util.List;

/** The common part of a worker's and a client's grid: access to the incarnation that users see. */
abstract class RuntimeAccess<R extends CallingRuntime> implements GridAccess {
  final HazelcastInstance hazelcast;
  final HazelgradConfig config;

  RuntimeAccess(HazelcastInstance hazelcast, HazelgradConfig config) {
    this.hazelcast = hazelcast;
    this.config = config;
  }

  /** Returns the incarnation that users see. */
  abstract R current();

  @Override
  public Rpc rpc() {
    return current().rpc();
  }

  @Override
  public List<Worker> workers() {
    return current().workers();
  }

  @Override
  public Worker worker(String name) {
    return current().worker(name, config.callTimeout());
  }

  @Override
  public Codecs codecs() {
    return current().codecs;
  }

  @Override
  public <S> S service(Class<S> type) {
    return current().service(type);
  }

  @Override
  public int outstandingCalls() {
    return current().caller.outstanding();
  }

  @Override
  public HazelcastInstance hazelcast() {
    return hazelcast;
  }
}
