package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.launcher.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Ports that processes on one machine choose without knowing of each other. */
class FreePortTest {
  @Test
  void nobodyElseGetsPortThatWasChosen() {
    Set<Integer> chosen = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      assertThat(chosen.add(Endpoint.freePort(new HashSet<>()))).isTrue();
    }
  }

  @Test
  void serverCanUsePortThatWasChosen() throws IOException {
    int port = Endpoint.freePort(new HashSet<>());
    try (ServerSocket server = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(server.getLocalPort()).isEqualTo(port);
    }
  }
}
