package io.hazelgrad.tests.guides;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The tables of docs/reference. A heading with a name in backticks begins the table of this name;
 * the first two cells of its rows are names and their default.
 *
 * @param tables the rows of the tables by their names
 */
record ReferencePages(Map<String, Map<String, String>> tables) {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));
  private static final Pattern HEADING = Pattern.compile("##+ `([^`]+)`.*");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern CELL = Pattern.compile("(?<!\\\\)\\|");

  /**
   * Reads all pages.
   *
   * @throws AssertionError if two tables have one name, or two rows of a table
   */
  static ReferencePages read() throws IOException {
    Map<String, Map<String, String>> tables = new LinkedHashMap<>();
    for (Path page : pages()) {
      Map<String, String> rows = null;
      for (String line : Files.readAllLines(page)) {
        var heading = HEADING.matcher(line);
        if (heading.matches()) {
          rows = new LinkedHashMap<>();
          if (tables.put(heading.group(1), rows) != null) {
            throw new AssertionError(page + ": there are two tables " + heading.group(1));
          }
        } else if (line.startsWith("#")) {
          rows = null;
        } else if (rows != null && line.startsWith("| `")) {
          add(line, rows, page);
        }
      }
    }
    return new ReferencePages(tables);
  }

  private static void add(String line, Map<String, String> rows, Path page) {
    String[] cells = CELL.split(line, -1);
    for (MatchResult name : CODE.matcher(cells[1]).results().toList()) {
      if (rows.put(name.group(1), text(cells[2])) != null) {
        throw new AssertionError(page + ": there are two rows " + name.group(1));
      }
    }
  }

  private static String text(String cell) {
    return cell.replace("`", "").strip();
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.list(HOME.resolve("docs/reference"))) {
      return new ArrayList<>(files.sorted().toList());
    }
  }
}
