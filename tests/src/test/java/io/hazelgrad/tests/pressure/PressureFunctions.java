package io.hazelgrad.tests.pressure;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Functions that use up what a worker has. */
@RemoteFunctions
final class PressureFunctions {
  private static final List<Object> KEPT = new ArrayList<>();
  private static final int MIB = 1 << 20;

  private PressureFunctions() {}

  static int ping() {
    return 1;
  }

  static Tensor echo(Tensor tensor) {
    return tensor;
  }

  /** Sends a tensor to another worker and back, and returns its length. */
  static long relay(String other, Tensor tensor) {
    return Grid.current().rpc().sync(other, PressureFunctions::echo, tensor).size();
  }

  /** Keeps more and more, as a function with a leak does, until there is no more memory. */
  static int fillHeap() {
    while (true) {
      KEPT.add(new byte[MIB / 16]);
    }
  }

  /** Asks for an array that is larger than the heap, as a function with a mistake does. */
  static int tooLarge() {
    return new long[Integer.MAX_VALUE - 8].length;
  }

  /** Makes garbage of this many MiB, with collections of all of the heap in between. */
  static int garbage(int mib) {
    int made = 0;
    for (int i = 0; i < mib; i++) {
      made += new byte[MIB].length >> 20;
      if (i % 16 == 0) {
        System.gc();
      }
    }
    return made;
  }

  /** Opens files until no more can be opened; returns their number. */
  static int openFiles() {
    synchronized (KEPT) {
      try {
        while (true) {
          KEPT.add(new FileInputStream("/dev/null"));
        }
      } catch (IOException none) {
        return KEPT.size();
      }
    }
  }

  /** Closes the files. */
  static int closeFiles() throws IOException {
    synchronized (KEPT) {
      int count = KEPT.size();
      for (Object file : KEPT) {
        ((FileInputStream) file).close();
      }
      KEPT.clear();
      return count;
    }
  }
}
