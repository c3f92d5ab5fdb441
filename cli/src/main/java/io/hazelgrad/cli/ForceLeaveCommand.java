package io.hazelgrad.cli;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.group.LostWorkers;
import io.hazelgrad.grid.group.LostWorkers.Lost;
import io.hazelgrad.grid.spi.ClientConnection;
import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.launcher.Main;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * The subcommand {@code force-leave}: tells a suspended grid that the processes of lost workers
 * have ended, so that it goes on without them. Without names it shows the lost workers.
 */
@Command(
    name = "force-leave",
    description = {
      "Tell a suspended grid that the processes of lost workers have ended. It then goes on without"
          + " them, and new workers may take their names at any address. Without a name: show the"
          + " lost workers.",
      "Make sure first that the processes have ended. If they live behind a cut, both sides go on,"
          + " and the work of one side is dropped later."
    },
    mixinStandardHelpOptions = true)
final class ForceLeaveCommand implements Callable<Integer> {
  @Mixin private ClusterConnection connection;

  @Parameters(paramLabel = "NAME", split = ",", arity = "0..*", description = "Lost workers.")
  private List<String> names = new ArrayList<>();

  /** Creates the command; picocli sets the fields. */
  @SuppressWarnings("NullAway.Init")
  ForceLeaveCommand() {}

  @Override
  public Integer call() {
    ClientConfig config = ClientConnection.prepare(connection.config());
    HazelcastInstance client =
        connection.connected(() -> HazelcastClient.newHazelcastClient(config));
    try {
      LostWorkers lost = LostWorkers.over(client, config);
      List<Lost> left = names.isEmpty() ? lost.find() : lost.forceLeave(names);
      if (!names.isEmpty()) {
        System.out.println("counts as ended: " + String.join(", ", names));
      }
      System.out.println(left.isEmpty() ? "no worker is missed" : "missed: " + text(left));
      return Main.OK;
    } catch (GridException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    } finally {
      client.shutdown();
    }
  }

  private static String text(List<Lost> lost) {
    return String.join(", ", lost.stream().map(Lost::toString).toList());
  }
}
