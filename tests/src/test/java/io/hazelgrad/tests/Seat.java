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

/** From where a test works: a worker or a client. The tests are the same for both. */
public interface Seat extends AutoCloseable {
  Worker self();

  /** Returns what it is made of. */
  GridAccess access();

  /** Returns the living workers. */
  List<Worker> workers();

  Worker worker(String name);

  Rpc rpc();

  Codecs codecs();

  /** Returns the service of a module, such as the profiler. */
  <S> S service(Class<S> type);

  RRefs rrefs();

  int outstandingCalls();

  /** Returns the faults of the messages that it sends. */
  Faults faults();

  /** Returns whether objects can live here. */
  boolean isWorker();

  /** Returns whether it has been left for good. */
  boolean isLeft();

  @Override
  void close();

  default String name() {
    return self().name();
  }

  /** The worker of a grid, which is closed with the grid. */
  static Seat of(Grid grid) {
    return new Seat() {
      @Override
      public GridAccess access() {
        return grid;
      }

      @Override
      public Worker self() {
        return grid.worker();
      }

      @Override
      public List<Worker> workers() {
        return grid.workers();
      }

      @Override
      public Worker worker(String name) {
        return grid.worker(name);
      }

      @Override
      public Rpc rpc() {
        return grid.rpc();
      }

      @Override
      public Codecs codecs() {
        return grid.codecs();
      }

      @Override
      public <S> S service(Class<S> type) {
        return grid.service(type);
      }

      @Override
      public RRefs rrefs() {
        return RRefs.on(grid);
      }

      @Override
      public int outstandingCalls() {
        return grid.outstandingCalls();
      }

      @Override
      public Faults faults() {
        return Faults.of(grid);
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

  static Seat of(GridClient client) {
    return new Seat() {
      @Override
      public GridAccess access() {
        return client;
      }

      @Override
      public Worker self() {
        return client.self();
      }

      @Override
      public List<Worker> workers() {
        return client.workers();
      }

      @Override
      public Worker worker(String name) {
        return client.worker(name);
      }

      @Override
      public Rpc rpc() {
        return client.rpc();
      }

      @Override
      public Codecs codecs() {
        return client.codecs();
      }

      @Override
      public <S> S service(Class<S> type) {
        return client.service(type);
      }

      @Override
      public RRefs rrefs() {
        return client.rrefs();
      }

      @Override
      public int outstandingCalls() {
        return client.outstandingCalls();
      }

      @Override
      public Faults faults() {
        return client.service(Faults.class);
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
