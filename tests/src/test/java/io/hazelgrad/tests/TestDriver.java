package io.hazelgrad.tests;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.rref.RRefs;
import java.util.List;

/** Process that runs a test: a worker or a client. The tests are the same for both. */
public interface TestDriver extends AutoCloseable {
  Worker self();

  /** Returns the worker's grid or the client. */
  GridAccess access();

  /** Returns whether it can own objects. */
  boolean isWorker();

  /** Returns whether it is closed. */
  boolean isLeft();

  @Override
  void close();

  default String name() {
    return self().name();
  }

  default List<Worker> workers() {
    return access().workers();
  }

  default Worker worker(String name) {
    return access().worker(name);
  }

  default Rpc rpc() {
    return access().rpc();
  }

  default Codecs codecs() {
    return access().codecs();
  }

  /** Returns the service of a module, such as the profiler. */
  default <S> S service(Class<S> type) {
    return access().service(type);
  }

  default RRefs rrefs() {
    return service(RRefs.class);
  }

  default int outstandingCalls() {
    return access().outstandingCalls();
  }

  /** Returns the faults of the messages that it sends. */
  default Faults faults() {
    return service(Faults.class);
  }

  /** Returns the worker of a grid, which closes with the grid. */
  static TestDriver of(Grid grid) {
    return new TestDriver() {
      @Override
      public GridAccess access() {
        return grid;
      }

      @Override
      public Worker self() {
        return grid.worker();
      }

      @Override
      public boolean isWorker() {
        return true;
      }

      @Override
      public boolean isLeft() {
        return grid.isClosed();
      }

      @Override
      public void close() {}
    };
  }

  static TestDriver of(GridClient client) {
    return new TestDriver() {
      @Override
      public GridAccess access() {
        return client;
      }

      @Override
      public Worker self() {
        return client.self();
      }

      @Override
      public boolean isWorker() {
        return false;
      }

      @Override
      public boolean isLeft() {
        return !client.hazelcast().getLifecycleService().isRunning();
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }
}
