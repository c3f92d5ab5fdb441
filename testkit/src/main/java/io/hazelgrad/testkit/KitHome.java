package io.hazelgrad.testkit;

import io.hazelgrad.launcher.MemberSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The folder of hazelcast.yaml and the flags of JVMs. The build and the launcher name it by a
 * system property. A project that has the test kit as an artifact gets a folder from the kit's jar,
 * which ends with this JVM.
 */
final class KitHome {
  private static final String PROPERTY = "hazelgrad.home";
  private static final List<String> FILES = List.of("hazelcast.yaml", "jvm.flags", "jvm24.flags");

  private KitHome() {}

  /** Returns the folder, and names it for the launcher if nothing else does. */
  static synchronized Path prepare() {
    if (System.getProperty(PROPERTY) == null) {
      System.setProperty(PROPERTY, unpack().toString());
    }
    return MemberSettings.home();
  }

  private static Path unpack() {
    try {
      Path folder = Files.createTempDirectory("hazelgrad-testkit-");
      folder.toFile().deleteOnExit(); // Registered first, so that it is deleted last.
      for (String name : FILES) {
        Path file = folder.resolve(name);
        file.toFile().deleteOnExit();
        try (InputStream in = KitHome.class.getResourceAsStream("home/" + name)) {
          if (in == null) {
            throw new IllegalStateException("the test kit's jar has no home/" + name);
          }
          Files.copy(in, file);
        }
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack the settings of the test kit", e);
    }
  }
}
