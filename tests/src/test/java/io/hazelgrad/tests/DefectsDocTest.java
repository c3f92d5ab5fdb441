package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tests that docs/defects.md names exist. */
class DefectsDocTest {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));
  private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*Test)?(?:#(\\w+))?`");

  @Test
  void everyNamedTestExists() throws IOException {
    List<MatchResult> names =
        NAME.matcher(Files.readString(HOME.resolve("docs/defects.md"))).results().toList();
    assertThat(names).hasSizeGreaterThan(20);
    Map<String, Path> sources = sources();
    String type = "";
    for (MatchResult each : names) {
      type = each.group(1) == null ? type : each.group(1);
      assertThat(sources).containsKey(type + ".java");
      if (each.group(2) != null) {
        assertThat(sources.get(type + ".java"))
            .as(type)
            .content()
            .contains("void " + each.group(2) + "(");
      }
    }
  }

  /** Returns the test sources of all modules by the names of their files. */
  private static Map<String, Path> sources() throws IOException {
    Map<String, Path> sources = new HashMap<>();
    try (Stream<Path> modules = Files.list(HOME)) {
      for (Path tests :
          modules.map(it -> it.resolve("src/test/java")).filter(Files::isDirectory).toList()) {
        try (Stream<Path> files = Files.walk(tests)) {
          files.forEach(it -> sources.put(it.getFileName().toString(), it));
        }
      }
    }
    return sources;
  }
}
