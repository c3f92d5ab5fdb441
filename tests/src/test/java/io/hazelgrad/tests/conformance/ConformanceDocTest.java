package io.hazelgrad.tests.conformance;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.tests.OfClients;
import io.hazelgrad.tests.OfWorkers;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Keeps {@code docs/conformance.md} true: all tests of the peer, and only tests that exist. */
class ConformanceDocTest {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));
  private static final String OURS = "tests.conformance.";
  private static final Pattern SECTION = Pattern.compile("## (3\\.\\d+) .*");
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
  private static final Pattern TEST =
      Pattern.compile("@\\w*Test\\b.*?\\bvoid (\\w+)\\(", Pattern.DOTALL);

  /** The tests of each class that a page may name, by the class's name below io.hazelgrad. */
  private static Map<String, Set<String>> tests;

  private static List<Row> rows;

  /** A line of a table. */
  private record Row(String section, List<String> names, String shownBy, String shownByClients) {
    boolean isHere() {
      return !shownBy.startsWith("not here: ");
    }

    @Override
    public String toString() {
      return section + " " + names;
    }
  }

  @BeforeAll
  static void read() throws IOException {
    tests = new HashMap<>();
    try (Stream<Path> files = Files.walk(HOME)) {
      for (Path file : (Iterable<Path>) files.filter(ConformanceDocTest::isTest)::iterator) {
        String path = file.toString().replace('\\', '/');
        String name = path.substring(path.indexOf("/io/hazelgrad/") + 14, path.length() - 5);
        tests.put(name.replace('/', '.'), testsIn(Files.readString(file)));
      }
    }
    rows = new ArrayList<>();
    String section = "";
    for (String line : Files.readAllLines(HOME.resolve("docs/conformance.md"))) {
      Matcher heading = SECTION.matcher(line);
      if (heading.matches()) {
        section = heading.group(1);
      } else if (line.startsWith("| `")) {
        String[] cells = line.split("\\|", -1);
        rows.add(new Row(section, quoted(cells[1]), cells[2].strip(), cells[3].strip()));
      }
    }
  }

  private static boolean isTest(Path file) {
    String path = file.toString().replace('\\', '/');
    return path.contains("/src/test/java/io/hazelgrad/") && path.endsWith(".java");
  }

  private static Set<String> testsIn(String source) {
    return all(TEST, source).collect(toCollection(TreeSet::new));
  }

  private static List<String> quoted(String text) {
    return all(QUOTED, text).toList();
  }

  private static Stream<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1));
  }

  @Test
  void everyTestOfThePeerIsListedOnce() throws IOException {
    List<String> listed =
        rows.stream()
            .flatMap(row -> row.names().stream().map(name -> row.section() + " " + name))
            .toList();
    assertThat(listed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(ofThePeer());
  }

  private static List<String> ofThePeer() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            ConformanceDocTest.class.getResourceAsStream("/conformance/peer-tests.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @Test
  void everyLineNamesATestOrAReason() {
    assertThat(rows)
        .allSatisfy(row -> assertThat(row.shownBy()).containsPattern("`|^not here: .|^open: ."))
        .allSatisfy(
            row ->
                assertThat(row.shownByClients())
                    .containsPattern(row.isHere() ? "`|^not here: .|^open: ." : "^$"));
  }

  /** The tests that clients run too, by the name of their class as the page has it. */
  private static Map<String, Set<String>> testsOfClients() throws ClassNotFoundException {
    Map<String, Set<String>> found = new HashMap<>();
    for (Class<?> outer :
        List.of(
            ConformanceTest.class,
            SingleThreadedProfilingTest.class,
            Class.forName("io.hazelgrad.tests.rref.ClientRRefTest"))) {
      for (Class<?> nested : outer.getDeclaredClasses()) {
        if (outer.isAnnotationPresent(OfClients.class)
            || nested.isAnnotationPresent(OfClients.class)) {
          Class<?> suite = nested.getSuperclass();
          String name = suite.getName().substring("io.hazelgrad.".length());
          found.put(name.startsWith(OURS) ? suite.getSimpleName() : name, testsOfClients(suite));
        }
      }
    }
    return found;
  }

  private static Set<String> testsOfClients(Class<?> suite) {
    return Arrays.stream(suite.getDeclaredMethods())
        .filter(method -> method.isAnnotationPresent(Test.class))
        .filter(method -> !method.isAnnotationPresent(OfWorkers.class))
        .map(Method::getName)
        .collect(toCollection(TreeSet::new));
  }

  /** What a client runs is named in its column, and nothing else is. */
  @Test
  void theColumnOfClientsIsTrue() throws ClassNotFoundException {
    Map<String, Set<String>> run = testsOfClients();
    assertThat(run).containsKeys("Calls", "SingleThreadedProfiling", "tests.rref.Closing");
    for (Row row : rows.stream().filter(Row::isHere).toList()) {
      List<String> byClients = quoted(row.shownByClients());
      assertThat(byClients.stream().filter(reference -> !reference.contains("#")))
          .as("%s: suites that clients run", row)
          .isSubsetOf(run.keySet());
      for (String reference : quoted(row.shownBy())) {
        String[] parts = reference.split("#", 2);
        Set<String> here = run.getOrDefault(parts[0], Set.of());
        List<String> names = parts.length == 2 ? List.of(parts[1]) : row.names();
        if (!byClients.contains(reference)) {
          assertThat(here).as("%s, not run by clients", row).doesNotContainAnyElementsOf(names);
        } else if (run.containsKey(parts[0])) {
          assertThat(here).as("%s, run by clients", row).containsAll(names);
        }
      }
    }
  }

  @Test
  void everyNamedTestExists() {
    List<String> wrong = new ArrayList<>();
    for (Row row : rows) {
      for (String reference : quoted(row.shownBy() + row.shownByClients())) {
        if (!exists(reference, row.names())) {
          wrong.add(row + ": " + reference);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Returns whether a class has the method that a reference names, or methods of these names. */
  private static boolean exists(String reference, List<String> names) {
    String[] parts = reference.split("#", 2);
    return testsOf(parts[0]).containsAll(parts.length == 2 ? List.of(parts[1]) : names);
  }

  /** Returns the tests of a class that is named as the page names it. */
  private static Set<String> testsOf(String type) {
    if (tests.containsKey(OURS + type)) {
      return tests.get(OURS + type);
    }
    if (tests.containsKey(type)) {
      return tests.get(type);
    }
    List<String> sameName = tests.keySet().stream().filter(it -> it.endsWith("." + type)).toList();
    return sameName.size() == 1 ? tests.get(sameName.get(0)) : Set.of();
  }

  @Test
  void testsAreFoundByTheNamesThatThePageUsesAndNoOthers() {
    assertThat(exists("Identities", List.of("test_worker_id"))).isTrue();
    assertThat(exists("Identities", List.of("test_worker_id", "test_of_nothing"))).isFalse();
    assertThat(exists("CapacityTest", List.of("noTimeoutOfHazelcastsEndsALongCall"))).isTrue();
    assertThat(exists("CapacityTest#noTimeoutOfHazelcastsEndsALongCall", List.of())).isTrue();
    assertThat(exists("grid.group.RoundsTest#theLastToComeEndsTheRoundForAll", List.of())).isTrue();
    assertThat(exists("rref.ForksTest#noSuchTest", List.of())).isFalse();
    assertThat(exists("NoSuchTest#theLastToComeEndsTheRoundForAll", List.of())).isFalse();
    assertThat(exists("pacityTest#noTimeoutOfHazelcastsEndsALongCall", List.of())).isFalse();
  }

  /** What carries a name like the peer's is on the page too. */
  @Test
  void everyTestOfOursWithSuchANameIsNamed() {
    Set<String> named = new TreeSet<>();
    for (Row row : rows) {
      named.addAll(row.names());
      quoted(row.shownBy() + row.shownByClients())
          .forEach(one -> named.add(one.substring(one.indexOf('#') + 1)));
    }
    tests.forEach(
        (type, names) ->
            assertThat(names.stream().filter(name -> name.startsWith("test_")))
                .as(type)
                .isSubsetOf(named));
  }
}
