package io.hazelgrad.autograd.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/catalogue.md has every operation with its inputs and attributes. */
class CatalogueDocTest {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern WORD = Pattern.compile("[a-z_0-9]+");

  private final Map<String, String[]> rows = rows();

  private static Map<String, String[]> rows() {
    Path file = Path.of(System.getProperty("hazelgrad.home"), "docs", "catalogue.md");
    Map<String, String[]> rows = new TreeMap<>();
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith("| `")) {
          String[] cells = line.substring(1).split("\\|", -1);
          CODE.matcher(cells[0]).results().forEach(name -> rows.put(name.group(1), cells));
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return rows;
  }

  @Test
  void operationsAreAllDocumented() {
    assertThat(rows.keySet()).isEqualTo(Catalogue.names());
  }

  @Test
  void attributesAreAllDocumented() {
    rows.forEach(
        (name, cells) -> {
          Set<String> words = new TreeSet<>();
          WORD.matcher(cells[2]).results().forEach(word -> words.add(word.group()));
          assertThat(words).as(name).containsAll(Catalogue.get(name).attributes());
        });
  }

  @Test
  void optionalInputsAreInBrackets() {
    rows.forEach(
        (name, cells) -> {
          Operation operation = Catalogue.get(name);
          if (cells[1].contains("any number") || cells[1].contains("as `")) {
            return;
          }
          // Shapes are in brackets, too: without them each input is a word and a comma.
          String inputs = cells[1].replaceAll("\\(.*?\\)| or \\[[^\\]]*\\]|, likewise", "");
          inputs = inputs.replaceAll("(?<=[a-z0-9]) \\[[^\\]]*\\]", "");
          int optional =
              inputs.contains("[") ? inputs.split("\\[", -1)[1].split(",", -1).length : 0;
          int all = inputs.split(",", -1).length;
          assertThat(all).as(name).isEqualTo(operation.maxInputs());
          assertThat(all - optional).as(name).isEqualTo(operation.minInputs());
        });
  }
}
