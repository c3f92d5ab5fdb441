package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Test that the tests exist that docs/defects.md names. */
class DefectsDocTest {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));
  private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*Test)?(?:#(\\w+))?`");

  @Test
  void everyNamedTestExists() throws IOException {
    List<MatchResult> names =
        NAME.matcher(Files.readString(HOME.resolve("docs/defects.md"))).results().toList();
    assertThat(names).hasSizeGreaterThan(20);
    String type = "";
    for (MatchResult each : names) {
      type = each.group(1) == null ? type : each.group(1);
      String source = source(type);
      if (each.group(2) != null) {
        assertThat(source).as(type).contains("void " + each.group(2) + "(");
      }
    }
  }

  private static String source(String type) throws IOException {
    try (Stream<Path> modules = Files.list(HOME)) {
      for (Path tests : modules.map(it -> it.resolve("src/test/java")).toList()) {
        if (Files.isDirectory(tests)) {
          try (Stream<Path> files = Files.walk(tests)) {
            var found = files.filter(it -> it.endsWith(type + ".java")).findFirst();
            if (found.isPresent()) {
              return Files.readString(found.get());
            }
          }
        }
      }
    }
    throw new AssertionError("no test class " + type);
  }
}
