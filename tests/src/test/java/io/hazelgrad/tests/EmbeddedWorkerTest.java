package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.launcher.FastStart;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests of an application that embeds a worker and says nothing about the network. */
class EmbeddedWorkerTest {
  @TempDir Path emptyFolder;

  /** The application: joins, prints its port, and leaves when its input ends. */
  public static void main(String[] arguments) throws IOException {
    Config config = new Config().setClusterName(arguments[0]);
    try (Grid grid = Grid.join(HazelgradConfig.named("w").hazelcast(config).build())) {
      System.out.println(grid.hazelcast().getCluster().getLocalMember().getAddress().getPort());
      System.in.read();
    }
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "127.0.0.2 is an address of every Linux host")
  void workerListensOnOneAddressOfLoopbackOnly() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.addAll(FastStart.options());
    command.addAll(List.of(EmbeddedWorkerTest.class.getName(), "embedded-" + UUID.randomUUID()));
    Process application =
        new ProcessBuilder(command)
            .directory(emptyFolder.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = application.inputReader(StandardCharsets.UTF_8)) {
      int port = Integer.parseInt(lines.readLine());

      connect("127.0.0.1", port);
      assertThat(port).isBetween(5801, 5900);
      assertThatThrownBy(() -> connect("127.0.0.2", port)).isInstanceOf(ConnectException.class);
    } finally {
      application.destroyForcibly().waitFor();
    }
  }

  private static void connect(String host, int port) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), 5_000);
    }
  }
}
