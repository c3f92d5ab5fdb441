package io.hazelgrad.cli;

import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a command in this JVM wrote and how it ended.
 *
 * @param code its exit code
 * @param out what it wrote to the standard output
 * @param err what it wrote to the standard error
 */
record CommandRun(int code, String out, String err) {
  /** Runs a command against a cluster, by the client endpoint of its worker A. */
  static CommandRun against(LocalCluster cluster, String... args) {
    return of(withConnection(cluster, args));
  }

  /** Returns the command line with what connects it to a cluster, by its worker A. */
  static String[] withConnection(LocalCluster cluster, String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(
        List.of("--cluster", cluster.name(), "--join", cluster.worker("A").clientEndpoint()));
    return all.toArray(String[]::new);
  }

  /** Runs a command. */
  static CommandRun of(String... args) {
    StringWriter err = new StringWriter();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      int code = Main.run(new PrintWriter(err, true), args);
      return new CommandRun(code, out.toString(StandardCharsets.UTF_8), err.toString());
    } finally {
      System.setOut(before);
    }
  }
}
