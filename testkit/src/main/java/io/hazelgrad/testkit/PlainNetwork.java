package io.hazelgrad.testkit;

import io.hazelgrad.launcher.LocalCluster;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The loopback interface, with what a test wants to be otherwise.
 *
 * @param keepsPorts whether a worker that is started again has the same port
 * @param openFiles the most files that a worker can have open, or 0 for the machine's limit
 */
record PlainNetwork(boolean keepsPorts, int openFiles) implements LocalCluster.Network {
  @Override
  public InetSocketAddress announced(String worker, InetSocketAddress address) {
    return address;
  }

  @Override
  public List<String> command(String worker, List<String> command) {
    if (openFiles == 0) {
      return command;
    }
    List<String> limited = new ArrayList<>(List.of("sh", "-c", "ulimit -n \"$0\"; exec \"$@\""));
    limited.add(Integer.toString(openFiles));
    limited.addAll(command);
    return limited;
  }
}
