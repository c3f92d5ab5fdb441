package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the command in a checkout, whose class path the build writes into a file. */
class CheckoutTest {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));

  @Test
  void commandLogs() throws Exception {
    String classPath = Files.readString(HOME.resolve("bench/target/classpath.txt"));
    List<URL> entries = new ArrayList<>();
    for (String entry : classPath.strip().split(File.pathSeparator, -1)) {
      entries.add(Path.of(entry).toUri().toURL());
    }
    try (URLClassLoader loader = new URLClassLoader(entries.toArray(new URL[0]), null)) {
      assertThat(loader.getResource("META-INF/services/org.slf4j.spi.SLF4JServiceProvider"))
          .as("the provider of SLF4J on the class path of ./hazelgrad")
          .isNotNull();
    }
  }
}
