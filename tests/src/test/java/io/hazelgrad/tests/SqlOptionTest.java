package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.sql.HazelcastSqlException;
import com.hazelcast.sql.SqlResult;
import com.hazelcast.sql.SqlRow;
import io.hazelgrad.launcher.MemberSettings;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.Leftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code hazelgrad member --sql}, with the script in the folders of a distribution. */
@ExtendWith(Leftovers.class)
@Tag("slow")
class SqlOptionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern JOINED = Pattern.compile("joined .*\\(client endpoint ([^)]+)\\)");

  @TempDir private Path folder;

  @Test
  void clientReadsTablesWhenMemberHasSql() throws Exception {
    String cluster = "sql-" + UUID.randomUUID();
    Process member = member("--name=A", "--cluster=" + cluster, "--exit-with-parent", "--sql");
    try {
      Await.until(
          PATIENCE,
          () -> endpoint().isPresent() ? "" : "the member has joined, it said: " + output());
      ClientConfig config = new ClientConfig().setClusterName(cluster);
      config.getNetworkConfig().addAddress(endpoint().orElseThrow());
      HazelcastInstance reader = HazelcastClient.newHazelcastClient(config);
      try {
        Await.until(
            "SQL finds worker A and its figures",
            PATIENCE,
            () ->
                names(reader, "SELECT name FROM hazelgrad_workers").equals(List.of("A"))
                    && names(reader, "SELECT worker FROM hazelgrad_figures").contains("A"));
        for (String table : List.of("calls", "served", "rrefs", "clients")) {
          assertThat(names(reader, "SELECT * FROM hazelgrad_" + table)).as(table).isEmpty();
        }
      } finally {
        reader.shutdown();
      }
    } finally {
      member.destroy(); // SIGTERM
      assertThat(member.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Returns the values of the first column; none while the table is not there. */
  private static List<String> names(HazelcastInstance reader, String query) {
    List<String> names = new ArrayList<>();
    try (SqlResult result = reader.getSql().execute(query)) {
      for (SqlRow row : result) {
        names.add(String.valueOf(row.<Object>getObject(0)));
      }
    } catch (HazelcastSqlException e) {
      assertThat(e).hasMessageContaining("not found");
    }
    return names;
  }

  private Process member(String... options) throws IOException {
    Path script = copy("hazelgrad", "bin");
    for (String file : List.of("hazelcast.yaml", "jvm.flags", "jvm24.flags")) {
      copy(file, "config");
    }
    copy("launcher/target/sql/hazelcast-sql.jar", "sql");
    Files.createDirectory(folder.resolve("lib")); // The classes are on the path of this JVM.
    List<String> command = new ArrayList<>(List.of("bash", script.toString(), "member"));
    command.addAll(List.of(options));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile());
    builder.environment().put("HAZELGRAD_CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("HAZELGRAD_JVM_OPTS", "-Xmx384m -XX:TieredStopAtLevel=1");
    return builder.start();
  }

  private Path copy(String file, String into) throws IOException {
    Path from = MemberSettings.home().resolve(file);
    return Files.copy(
        from, Files.createDirectories(folder.resolve(into)).resolve(from.getFileName()));
  }

  private String output() {
    try {
      return Files.readString(folder.resolve("output"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<String> endpoint() {
    Matcher joined = JOINED.matcher(output());
    return joined.find() ? Optional.of(joined.group(1)) : Optional.empty();
  }
}
