package io.hazelgrad.cli;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.launcher.EndSignal;
import io.hazelgrad.launcher.Main;
import io.hazelgrad.launcher.page.PageServer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The subcommand {@code dashboard}: serves a page that shows a running grid. */
@Command(
    name = "dashboard",
    description = "Show a grid in the browser, until SIGINT or SIGTERM.",
    mixinStandardHelpOptions = true)
final class DashboardCommand implements Callable<Integer> {
  @Mixin private ClusterConnection connection;

  @Option(
      names = "--port",
      paramLabel = "P",
      defaultValue = "5901",
      description =
          "The port of the page on this machine, 0 for a free one (default: ${DEFAULT-VALUE}).")
  private int port;

  @Override
  public Integer call() throws InterruptedException {
    PageServer.requirePort(port);
    try (EndSignal signal = new EndSignal();
        GridClient client = connection.connect();
        PageServer page = PageServer.open(client, port)) {
      System.out.println("the page is at " + page.uri());
      System.out.flush();
      signal.await();
    }
    return Main.OK;
  }
}
