package io.hazelgrad.launcher;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JVM options for workers that live for seconds, such as those of tests. A worker then takes about
 * a third of the processor time until it has joined. It compiles with the first compiler only, does
 * not check its YAML file against the schema, and maps an archive of loaded classes (class data
 * sharing).
 *
 * <p>The system property {@value #PROPERTY} names the folder of the archive; without it there are
 * no such options. The first start makes the archive, by one more start of a worker; the next ones
 * use it until a jar of the class path changes. The JVM ignores an archive that does not fit, so a
 * worker starts in any case. It archives classes of jars only, and accepts an archive if the class
 * path begins with these jars, so jars come first here.
 */
public final class FastStart {
  static final String PROPERTY = "hazelgrad.fast-start";

  private static final Logger LOG = LoggerFactory.getLogger(FastStart.class);
  private static final String TRAINEE = "archive";

  private static boolean making;

  private FastStart() {}

  /**
   * Returns the options above, if the property is set, and this JVM's class path with more entries.
   */
  public static List<String> options(Path... further) {
    List<Path> classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .map(entry -> Path.of(entry).toAbsolutePath())
            .collect(Collectors.toCollection(ArrayList::new));
    List<Path> jars = classPath.stream().filter(Files::isRegularFile).toList();
    classPath.addAll(List.of(further));
    String folder = System.getProperty(PROPERTY, "");
    if (folder.isEmpty()) {
      return List.of("-cp", joined(classPath));
    }
    classPath.removeAll(jars);
    classPath.addAll(0, jars);
    List<String> options = new ArrayList<>();
    options.add("-XX:TieredStopAtLevel=1");
    options.add("-Dhazelcast.config.schema.validation.enabled=false");
    String partitions = System.getProperty("hazelcast.partition.count", "271"); // Same for all.
    options.add("-Dhazelcast.partition.count=" + partitions);
    Path archive = archive(Path.of(folder).toAbsolutePath(), jars);
    if (archive != null) {
      // No log: it would only say why the JVM does not use an archive.
      options.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:disable"));
    }
    options.addAll(List.of("-cp", joined(classPath)));
    return options;
  }

  private static synchronized @Nullable Path archive(Path folder, List<Path> jars) {
    if (making) {
      return null;
    }
    making = true;
    try {
      Path file = folder.resolve("workers-" + Integer.toHexString(fingerprint(jars)) + ".jsa");
      if (!Files.exists(file)) {
        Files.createDirectories(folder);
        try (FileChannel channel =
            FileChannel.open(
                folder.resolve("workers.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
          FileLock lock = channel.lock(); // Until the channel is closed.
          if (lock.isValid() && !Files.exists(file)) {
            make(folder, file, jars);
          }
        }
      }
      return file;
    } catch (IOException | UncheckedIOException | FailedException e) {
      LOG.warn("workers start without an archive of classes: {}", e.toString());
      return null;
    } finally {
      making = false;
    }
  }

  private static void make(Path folder, Path file, List<Path> jars) throws IOException {
    try (Stream<Path> old = Files.list(folder)) {
      for (Path each : old.filter(path -> path.toString().endsWith(".jsa")).toList()) {
        Files.delete(each);
      }
    }
    Path written = folder.resolve(UUID.randomUUID() + ".tmp");
    String archive = "-XX:ArchiveClassesAtExit=" + written;
    List<String> options = List.of(archive, "-Xlog:disable", "-cp", joined(jars));
    LocalCluster.Spec spec = LocalCluster.Spec.of(List.of(TRAINEE)).withJvmOptions(options);
    try (LocalCluster cluster = LocalCluster.start(spec)) {
      exercise(cluster);
      cluster.worker(TRAINEE).stop();
    }
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Lets the trainee load the classes of calls, references and backward passes. */
  private static void exercise(LocalCluster cluster) {
    ClientConfig config = new ClientConfig().setClusterName(cluster.name());
    config.getNetworkConfig().addAddress(cluster.worker(TRAINEE).clientEndpoint());
    Function<Variable> product = Function.operator("mul");
    Variable x = Variable.parameter(Tensor.of(new double[] {1, 2}, 2));
    try (GridClient client = GridClient.connect(config);
        Context context = client.autograd().open();
        RRef<Variable> square = client.rrefs().remote(client.worker(TRAINEE), product, x, x)) {
      context.backward(square.toHere().sum());
    }
  }

  private static int fingerprint(List<Path> jars) throws IOException {
    List<Object> parts =
        new ArrayList<>(List.of(Runtime.version(), System.getProperty("java.home")));
    for (Path jar : jars) {
      parts.addAll(List.of(jar, Files.size(jar), Files.getLastModifiedTime(jar)));
    }
    return parts.hashCode();
  }

  private static String joined(List<Path> entries) {
    return entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
