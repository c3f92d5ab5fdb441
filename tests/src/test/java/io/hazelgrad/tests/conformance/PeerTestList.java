package io.hazelgrad.tests.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The tests of the peer by section, from {@code conformance/peer-tests.txt}. The file's head
 * describes its format.
 *
 * @param sections the sections in the order of the page
 */
record PeerTestList(List<Section> sections) {

  /** A section of the page, such as "3.3 Errors". */
  record Section(String title, List<Entry> entries) {}

  /**
   * A test of the peer, with the text that the file has for its two cells. A text is empty where
   * the annotations say everything.
   */
  record Entry(String name, String member, String client) {}

  static PeerTestList load() {
    try (InputStream in =
        Objects.requireNonNull(
            PeerTestList.class.getResourceAsStream("/conformance/peer-tests.txt"))) {
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static PeerTestList parse(List<String> lines) {
    Map<String, String> texts = new HashMap<>();
    List<Section> sections = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith("## ")) {
        sections.add(new Section(line.substring(3), new ArrayList<>()));
      } else if (line.startsWith("@")) {
        String[] parts = line.split(" = ", 2);
        texts.put(parts[0], parts[1]);
      } else if (!line.isBlank() && !line.startsWith("#")) {
        sections.get(sections.size() - 1).entries().add(entry(line, texts));
      }
    }
    return new PeerTestList(sections);
  }

  private static Entry entry(String line, Map<String, String> texts) {
    String[] cells = line.split("\\|", -1);
    return new Entry(cells[0].strip(), text(cells, 1, texts), text(cells, 2, texts));
  }

  private static String text(String[] cells, int index, Map<String, String> texts) {
    String cell = index < cells.length ? cells[index].strip() : "";
    if (!cell.startsWith("@")) {
      return cell;
    }
    return Objects.requireNonNull(texts.get(cell), () -> cell + " is not defined in the file");
  }

  List<String> names() {
    return sections.stream()
        .flatMap(section -> section.entries().stream().map(Entry::name))
        .distinct()
        .toList();
  }
}
