package io.hazelgrad.tests.guides;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.AutogradOptions;
import io.hazelgrad.autograd.HistoryOptions;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.autograd.nn.BatchNormOptions;
import io.hazelgrad.autograd.nn.ConvOptions;
import io.hazelgrad.autograd.nn.RecurrentOptions;
import io.hazelgrad.autograd.nn.TransformerOptions;
import io.hazelgrad.autograd.optim.Adadelta;
import io.hazelgrad.autograd.optim.Adagrad;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.optim.AdamW;
import io.hazelgrad.autograd.optim.Adamax;
import io.hazelgrad.autograd.optim.NAdam;
import io.hazelgrad.autograd.optim.RAdam;
import io.hazelgrad.autograd.optim.RmsProp;
import io.hazelgrad.autograd.optim.Rprop;
import io.hazelgrad.autograd.parallel.DataParallelOptions;
import io.hazelgrad.autograd.parallel.PipelineSchedule;
import io.hazelgrad.grid.Cancellation;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.PlaneConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.collective.CollectiveOptions;
import io.hazelgrad.grid.collective.Reduction;
import io.hazelgrad.grid.health.Health;
import io.hazelgrad.grid.health.HealthOptions;
import io.hazelgrad.grid.prometheus.PrometheusOptions;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.rref.RRefOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages of docs/reference have every option with its default, and every value of an enum. */
class ReferenceTest {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));
  private static final Pattern ROW = Pattern.compile("^\\| `(\\w+)` \\|", Pattern.MULTILINE);

  private static Map<String, Map<String, String>> tables;

  @BeforeAll
  static void read() throws IOException {
    tables = ReferencePages.read().tables();
  }

  static List<Record> options() {
    return List.of(
        PlaneConfig.defaults(),
        CollectiveOptions.defaults(),
        HealthOptions.off(),
        PrometheusOptions.off(),
        RRefOptions.defaults(),
        RRefFilter.all(),
        AutogradOptions.defaults(),
        HistoryOptions.defaults(),
        PassOptions.defaults(),
        DataParallelOptions.defaults(),
        TrainingOptions.builder().build(),
        BatchNormOptions.defaults(),
        ConvOptions.defaults(),
        RecurrentOptions.defaults(),
        TransformerOptions.defaults());
  }

  static List<Record> optimizers() {
    return List.of(
        Adadelta.defaults(),
        Adagrad.defaults(),
        Adam.defaults(),
        AdamW.defaults(),
        Adamax.defaults(),
        NAdam.defaults(),
        RAdam.defaults(),
        RmsProp.defaults(),
        Rprop.defaults());
  }

  static List<Class<? extends Enum<?>>> enums() {
    return List.of(
        Cancellation.class,
        DType.class,
        Durability.class,
        Health.State.class,
        PipelineSchedule.class,
        Reduction.class,
        TrainingStatus.Phase.class);
  }

  private static void assertTable(String name, Map<String, String> expected) {
    assertThat(tables).as("tables of docs/reference").containsKey(name);
    Map<String, String> found = tables.get(name);
    assertThat(found.keySet()).as(name).containsExactlyInAnyOrderElementsOf(expected.keySet());
    expected.forEach(
        (option, value) -> {
          if (!value.equals(DocumentedOptions.UNKNOWN)) {
            assertThat(found.get(option)).as("default of %s %s", name, option).isEqualTo(value);
          }
        });
  }

  @Test
  void settingsOfAWorkerAreOnTheirPage() {
    assertTable("HazelgradConfig", DocumentedOptions.settings());
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionsAreOnTheirPage(Record defaults) {
    assertTable(defaults.getClass().getSimpleName(), DocumentedOptions.of(defaults));
  }

  @ParameterizedTest
  @MethodSource("optimizers")
  void optimizersAreOnTheirPage(Record defaults) {
    String all =
        DocumentedOptions.of(defaults).entrySet().stream()
            .map(it -> it.getKey() + " " + it.getValue())
            .collect(Collectors.joining(", "));
    assertThat(tables.get("Optimizer")).containsEntry(defaults.getClass().getSimpleName(), all);
  }

  @ParameterizedTest
  @MethodSource("enums")
  void valuesAreOnTheirPage(Class<? extends Enum<?>> type) {
    assertThat(tables.get(type.getSimpleName()))
        .as(type.getSimpleName())
        .containsOnlyKeys(
            Stream.of(type.getEnumConstants()).map(Enum::name).toArray(String[]::new));
  }

  @Test
  void commandsAreOnTheirPage() {
    Map<String, Map<String, String>> commands = DocumentedOptions.ofCommands();
    assertThat(commands).containsKey("hazelgrad member");
    commands.forEach(ReferenceTest::assertTable);
  }

  @Test
  void statusesAreInTroubleshooting() throws IOException {
    Set<String> found =
        ROW.matcher(Files.readString(HOME.resolve("docs/troubleshooting.md")))
            .results()
            .map(it -> it.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(found).containsAll(Stream.of(Status.values()).map(Enum::name).toList());
  }

  /** A new record of options fails here until it is in the lists above. */
  @Test
  void everyClassOfOptionsIsChecked() throws IOException {
    try (Stream<Path> files = Files.walk(HOME, 9)) {
      assertThat(
              files
                  .map(it -> HOME.relativize(it).toString())
                  .filter(it -> it.matches("[a-z-]+/src/main/.*Options\\.java"))
                  .filter(it -> !it.contains("/internal/") && !it.startsWith("launcher/"))
                  .map(it -> it.replaceAll(".*/|\\.java", "")))
          .isNotEmpty()
          .allSatisfy(it -> assertThat(tables).containsKey(it));
    }
  }
}
