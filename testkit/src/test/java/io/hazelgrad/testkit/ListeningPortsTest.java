package io.hazelgrad.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
final class ListeningPortsTest {
  @Test
  void portBelongsToProcessThatListens() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(ListeningPorts.of(Stream.of(ProcessHandle.current())))
          .contains(socket.getLocalPort());
    }
  }

  @Test
  void portOfOtherProcessDoesNotCount() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Stream<ProcessHandle> others = ProcessHandle.current().parent().stream();
      assertThat(ListeningPorts.of(others)).doesNotContain(socket.getLocalPort());
    }
  }

  @Test
  void processThatHasEndedHasNoPort() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    assertThat(ListeningPorts.of(Stream.of(ended.toHandle()))).isEmpty();
  }
}
