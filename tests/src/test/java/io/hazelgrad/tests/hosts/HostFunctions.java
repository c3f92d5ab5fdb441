package io.hazelgrad.tests.hosts;

import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.net.NetworkInterface;
import java.util.Collections;
import java.util.List;

/** Functions that the tests call on hosts. */
@RemoteFunctions
final class HostFunctions {
  private HostFunctions() {}

  /** Returns the names of the host's network devices. */
  static List<String> devices() throws IOException {
    return Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
        .map(NetworkInterface::getName)
        .sorted()
        .toList();
  }

  static Tensor make(int length) {
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = i & 0xffff;
    }
    return Tensor.wrap(values, length);
  }

  static Tensor echo(Tensor tensor) {
    return tensor;
  }

  /** Returns whether a tensor is one of {@link #make}. */
  static boolean isWhole(Tensor tensor, int length) {
    boolean whole = tensor.size() == length;
    for (int i = 0; whole && i < length; i++) {
      whole = tensor.storage().getDouble(i) == (i & 0xffff);
    }
    tensor.release();
    return whole;
  }
}
