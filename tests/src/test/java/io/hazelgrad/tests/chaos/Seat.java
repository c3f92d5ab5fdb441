package io.hazelgrad.tests.chaos;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.rref.RRefs;

/** Where an agent sits: on a worker, or in a client. */
interface Seat {
  String name();

  /** Returns the id of the incarnation that it is now. */
  long id();

  Rpc rpc();

  RRefs rrefs();

  /** Returns whether objects can live here. */
  boolean isWorker();

  /** Returns whether it has been left for good. */
  boolean isLeft();

  static Seat of(Grid grid) {
    return new Seat() {
      @Override
      public String name() {
        return grid.worker().name();
      }

      @Override
      public long id() {
        return grid.worker().id();
      }

      @Override
      public Rpc rpc() {
        return grid.rpc();
      }

      @Override
      public RRefs rrefs() {
        return RRefs.on(grid);
      }

      @Override
      public boolean isWorker() {
        return true;
      }

      @Override
      public boolean isLeft() {
        return grid.isClosed();
      }
    };
  }

  static Seat of(GridClient client) {
    return new Seat() {
      @Override
      public String name() {
        return client.self().name();
      }

      @Override
      public long id() {
        return client.self().id();
      }

      @Override
      public Rpc rpc() {
        return client.rpc();
      }

      @Override
      public RRefs rrefs() {
        return client.rrefs();
      }

      @Override
      public boolean isWorker() {
        return false;
      }

      @Override
      public boolean isLeft() {
        return !client.hazelcast().getLifecycleService().isRunning();
      }
    };
  }
}
