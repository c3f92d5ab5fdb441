package io.hazelgrad.tests.conformance;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.tests.ClientSuite;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Keeps {@code docs/conformance.md} true: it has all tests of the peer, with tests of ours that
 * exist or with reasons. The property {@code hazelgrad.write.docs} makes it write the page.
 */
class ConformanceDocTest {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));
  private static final Path PAGE = HOME.resolve("docs/conformance.md");
  private static final String FIRST_SECTION = "\n## 3.1 ";
  private static final String OURS = "tests.conformance.";
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
  private static final Pattern TEST =
      Pattern.compile("@\\w*Test\\b.*?\\bvoid (\\w+)\\(", Pattern.DOTALL);

  private static final String REGENERATE =
      "docs/conformance.md is not what peer-tests.txt and the annotations @PeerTest say. Write it"
          + " with: ./mvnw verify -pl tests -am -Dtest=ConformanceDocTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dhazelgrad.write.docs=true";

  /** The tests of each class that a reason may name, by the class's name below io.hazelgrad. */
  private static Map<String, Set<String>> tests;

  private static PeerTestList list;
  private static PeerTestIndex index;

  @BeforeAll
  static void read() throws Exception {
    tests = new HashMap<>();
    try (Stream<Path> files = Files.walk(HOME)) {
      for (Path file : (Iterable<Path>) files.filter(ConformanceDocTest::isTest)::iterator) {
        String path = file.toString().replace('\\', '/');
        String name = path.substring(path.indexOf("/io/hazelgrad/") + 14, path.length() - 5);
        tests.put(name.replace('/', '.'), testsIn(Files.readString(file)));
      }
    }
    list = PeerTestList.load();
    index = PeerTestIndex.load();
  }

  private static boolean isTest(Path file) {
    String path = file.toString().replace('\\', '/');
    return path.contains("/src/test/java/io/hazelgrad/") && path.endsWith(".java");
  }

  private static Set<String> testsIn(String source) {
    return all(TEST, source).collect(toCollection(TreeSet::new));
  }

  private static Stream<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1));
  }

  @Test
  void pageIsWhatIsGenerated() throws IOException {
    String page = Files.readString(PAGE);
    String generated =
        page.substring(0, page.indexOf(FIRST_SECTION) + 1) + ConformancePage.of(list, index).text();
    if (Boolean.getBoolean("hazelgrad.write.docs")) {
      Files.writeString(PAGE, generated);
    } else {
      assertThat(page).as(REGENERATE).isEqualTo(generated);
    }
  }

  @Test
  void everyTestOfThePeerHasATestOrAReason() {
    assertThat(ConformancePage.of(list, index).problems()).isEmpty();
  }

  @Test
  void everyTestOfThePeerIsListedOnceInItsSection() {
    for (PeerTestList.Section section : list.sections()) {
      assertThat(section.entries())
          .as(section.title())
          .extracting(PeerTestList.Entry::name)
          .doesNotHaveDuplicates();
    }
    assertThat(list.sections()).hasSize(16);
  }

  @Test
  void referencesInReasonsNameTestsThatExist() {
    List<String> wrong = new ArrayList<>();
    for (PeerTestList.Section section : list.sections()) {
      for (PeerTestList.Entry entry : section.entries()) {
        all(QUOTED, entry.member() + entry.client())
            .filter(reference -> !exists(reference))
            .forEach(reference -> wrong.add(entry.name() + ": " + reference));
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Returns whether a class has the test that a reference names. */
  private static boolean exists(String reference) {
    String[] parts = reference.split("#", 2);
    return parts.length == 2 && testsOf(parts[0]).contains(parts[1]);
  }

  /** Returns the tests of a class that is named as the page names it. */
  private static Set<String> testsOf(String type) {
    if (tests.containsKey(OURS + type)) {
      return tests.get(OURS + type);
    }
    return tests.getOrDefault(type, Set.of());
  }

  @Test
  void referencesAreFoundByTheNamesOfThePageOnly() {
    String method = "noTestHasANameOfThePeer";
    assertThat(exists("ConformanceDocTest#" + method)).isTrue();
    assertThat(exists("tests.conformance.ConformanceDocTest#" + method)).isTrue();
    assertThat(exists("ConformanceDocTest#noSuchTest")).isFalse();
    assertThat(exists("ConformanceDocTest")).isFalse();
    assertThat(exists("NoSuchTest#" + method)).isFalse();
    assertThat(exists("manceDocTest#" + method)).isFalse();
  }

  @Test
  void noTestHasANameOfThePeer() {
    tests.forEach(
        (type, names) -> assertThat(names).as(type).noneMatch(name -> name.startsWith("test_")));
  }

  /** Tests of the kinds that the generator distinguishes. */
  abstract static class Example {
    @PeerTest("test_of_both")
    void both() {}

    @PeerTest("test_of_workers")
    @WorkersOnly
    void workers() {}

    @PeerTest("test_of_workers")
    @PeerTest(value = "test_of_clients", client = true)
    void clients() {}
  }

  @ClientSuite
  static class ExampleOfClient extends Example {}

  @Test
  void tablesFollowTheAnnotations() {
    PeerTestIndex examples = new PeerTestIndex();
    examples.addAll(Set.of(Example.class, ExampleOfClient.class));
    PeerTestList peers =
        PeerTestList.parse(
            List.of(
                "@gpu = not here: needs a GPU",
                "## 1 Examples",
                "test_of_both",
                "test_of_workers | ; two tests",
                "test_of_clients | not here: nothing to test",
                "test_of_nobody",
                "test_of_gpu | @gpu",
                "test_of_gpus | @gpu"));
    ConformancePage page = ConformancePage.of(peers, examples);
    String type = "`ConformanceDocTest$Example";
    assertThat(page.text().lines())
        .containsExactly(
            "## 1 Examples",
            "",
            "| test | member to member | client to member |",
            "|---|---|---|",
            "| `test_of_both` | " + type + "#both` | the same test |",
            "| `test_of_workers` | "
                + (type + "#clients`, " + type + "#workers`; two tests | ")
                + (type + "#clients` |"),
            "| `test_of_clients` | not here: nothing to test |  |",
            "| `test_of_nobody` |  | the same test |",
            "| `test_of_gpu`, `test_of_gpus` | not here: needs a GPU |  |");
    assertThat(page.problems())
        .hasSize(3)
        .satisfiesExactly(
            one -> assertThat(one).contains("test_of_clients", "for clients"),
            one -> assertThat(one).contains("test_of_nobody, member", "no @PeerTest"),
            one -> assertThat(one).contains("test_of_nobody, client", "no @PeerTest"));
  }

  @Test
  void problemsAreNamedWhenListAndAnnotationsContradict() {
    PeerTestIndex examples = new PeerTestIndex();
    examples.addAll(Set.of(Example.class, ExampleOfClient.class));
    PeerTestList peers =
        PeerTestList.parse(
            List.of(
                "## 1 Examples",
                "test_of_both | | not here: clients cannot",
                "test_of_workers | not here: nothing to test"));
    assertThat(ConformancePage.of(peers, examples).problems())
        .satisfiesExactly(
            one -> assertThat(one).contains("test_of_both, client", "clients cannot"),
            one -> assertThat(one).contains("test_of_workers, member", "nothing to test"),
            one -> assertThat(one).contains("test_of_clients", "not in peer-tests.txt"));
  }
}
