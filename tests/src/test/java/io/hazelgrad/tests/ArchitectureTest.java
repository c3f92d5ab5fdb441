package io.hazelgrad.tests;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The structure of the modules as rules: packages, their dependencies, and their sizes. */
@AnalyzeClasses(packages = "io.hazelgrad", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
  /** Modules in the order of the build, each with the modules that its classes may use. */
  private static final Map<String, Set<String>> USES =
      new TreeMap<>(
          Map.of(
              "grid-core", Set.of(),
              "rref-store", Set.of("grid-core"),
              "autograd-jobs", Set.of("grid-core", "rref-store"),
              "client", Set.of("grid-core", "rref-store", "autograd-jobs"),
              "spring-boot-starter", Set.of("client"),
              "launcher", Set.of("grid-core", "rref-store", "autograd-jobs", "client"),
              "cli", Set.of("grid-core", "rref-store", "autograd-jobs", "client", "launcher"),
              "bench",
                  Set.of(
                      "grid-core",
                      "rref-store",
                      "autograd-jobs",
                      "client",
                      "launcher",
                      "cli",
                      "cuda"),
              "testkit", Set.of("grid-core", "rref-store", "autograd-jobs", "client", "launcher")));

  /** The module of a package, by the third part of the package's name. */
  private static final Map<String, String> MODULES =
      Map.of(
          "grid", "grid-core",
          "rref", "rref-store",
          "autograd", "autograd-jobs",
          "client", "client",
          "launcher", "launcher",
          "cli", "cli",
          "bench", "bench",
          "testkit", "testkit");

  /** The packages that applications use. */
  private static final String[] API = {
    "io.hazelgrad.grid",
    "io.hazelgrad.grid.collective",
    "io.hazelgrad.grid.device",
    "io.hazelgrad.grid.fault",
    "io.hazelgrad.grid.group",
    "io.hazelgrad.grid.health",
    "io.hazelgrad.grid.metrics",
    "io.hazelgrad.grid.plane",
    "io.hazelgrad.grid.profile",
    "io.hazelgrad.grid.prometheus",
    "io.hazelgrad.grid.tracing",
    "io.hazelgrad.grid.waits",
    "io.hazelgrad.rref",
    "io.hazelgrad.autograd",
    "io.hazelgrad.autograd.files",
    "io.hazelgrad.autograd.graph",
    "io.hazelgrad.autograd.jobs",
    "io.hazelgrad.autograd.nn",
    "io.hazelgrad.autograd.onnx",
    "io.hazelgrad.autograd.onnx.operators",
    "io.hazelgrad.autograd.ops",
    "io.hazelgrad.autograd.optim",
    "io.hazelgrad.autograd.parallel",
    "io.hazelgrad.autograd.training",
    "io.hazelgrad.client",
    "io.hazelgrad.launcher",
    "io.hazelgrad.launcher.page",
    "io.hazelgrad.testkit"
  };

  /** The packages that extensions of the grid use. */
  private static final String[] SPI = {"io.hazelgrad.autograd.spi", "io.hazelgrad.grid.spi"};

  /** The packages of programs. No application uses them. */
  private static final String[] PROGRAMS = {
    "io.hazelgrad.cli",
    "io.hazelgrad.cli.demo",
    "io.hazelgrad.cli.gpt",
    "io.hazelgrad.cli.models",
    "io.hazelgrad.cli.replay",
    "io.hazelgrad.cli.status",
    "io.hazelgrad.bench",
    "io.hazelgrad.bench.inner",
    "io.hazelgrad.bench.training"
  };

  private static final String INTERNAL = "io.hazelgrad..internal..";
  private static final int MOST_TOP_LEVEL_CLASSES = 30;
  private static final int MOST_LINES = 3_300;

  /** The nouns that every user meets are one package, and may not grow further. */
  private static final String LARGEST_PACKAGE = "io/hazelgrad/grid";

  private static final int MOST_CLASSES_OF_LARGEST = 35;
  private static final int MOST_LINES_OF_LARGEST = 3_500;
  private static final int LARGEST_CIRCLE = 12;
  private static final Pattern ARTIFACT =
      Pattern.compile("<artifactId>hazelgrad-([a-z-]+)</artifactId>");

  private static final DescribedPredicate<JavaClass> API_OR_SPI =
      resideInAnyPackage(API).or(resideInAnyPackage(SPI)).as("are in a package of the API or spi");

  /** Four JMH benchmarks measure single parts of modules; one class counts operations. */
  private static final DescribedPredicate<JavaClass> INNER_BENCHMARKS =
      DescribedPredicate.describe(
          "are inner benchmarks or generated by JMH",
          type ->
              type.getPackageName().endsWith(".jmh_generated")
                  || Set.of(
                          "io.hazelgrad.bench.inner.HazelcastOperations",
                          "io.hazelgrad.bench.inner.OperationBenchmark",
                          "io.hazelgrad.bench.inner.PlanBenchmark",
                          "io.hazelgrad.bench.inner.ProofBenchmark",
                          "io.hazelgrad.bench.inner.RegistryBenchmark",
                          "io.hazelgrad.bench.inner.WireBenchmark")
                      .contains(topLevel(type)));

  private static final DescribedPredicate<JavaClass> USERS_OF_ND4J =
      resideInAnyPackage(
              "io.hazelgrad.autograd.internal.backend..",
              "io.hazelgrad.autograd.graph..",
              "io.hazelgrad.autograd.onnx..")
          .or(
              DescribedPredicate.describe(
                  "convert tensors",
                  type ->
                      Set.of("io.hazelgrad.grid.Tensor", "io.hazelgrad.grid.NdArrayCopies")
                          .contains(topLevel(type))))
          .as("are the operation backend, the readers of graphs, or the tensor conversion");

  @ArchTest
  static final ArchRule apiAndSpiDoNotUseInternalPackages =
      noClasses()
          .that(API_OR_SPI)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(INTERNAL)
          .because("the API and spi are interfaces and values; internal packages implement them");

  @ArchTest
  static final ArchRule spiUsesApiOnly =
      classes()
          .that()
          .resideInAnyPackage(SPI)
          .should(
              useOfOurs("use only the API and spi, of ours", (from, to) -> API_OR_SPI.test(to)));

  @ArchTest
  static final ArchRule gridDoesNotUseSpi =
      noClasses()
          .that()
          .resideInAPackage("io.hazelgrad.grid")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(SPI)
          .because("extensions know the grid, but the grid's API does not know its extensions");

  @ArchTest
  static final ArchRule internalPackagesAreUsedInTheirModuleOnly =
      classes()
          .that(DescribedPredicate.not(INNER_BENCHMARKS))
          .should(
              useOfOurs(
                  "use internal packages of their own module only",
                  (from, to) ->
                      !to.getPackageName().contains(".internal")
                          || module(from).equals(module(to))));

  @ArchTest
  static final ArchRule modulesUseOnlyModulesBelow =
      classes()
          .should(
              useOfOurs(
                  "use only modules that come before their own",
                  (from, to) ->
                      module(from).equals(module(to))
                          || USES.get(module(from)).contains(module(to))));

  @ArchTest
  static final ArchRule hazelcastInternalsAreUsedInOnePackageOnly =
      noClasses()
          .that(DescribedPredicate.not(INNER_BENCHMARKS))
          .and()
          .resideOutsideOfPackage("io.hazelgrad.grid.internal.hazelcast..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.hazelcast..impl..", "com.hazelcast..internal..")
          .because("another release of Hazelcast may change what is not public");

  @ArchTest
  static final ArchRule nd4jIsUsedByTheBackendAndTensorConversionOnly =
      noClasses()
          .that(DescribedPredicate.not(USERS_OF_ND4J))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.nd4j..", "org.bytedeco..");

  @ArchTest
  static final ArchRule jmhIsUsedByBenchOnly =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.hazelgrad.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.openjdk.jmh..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("io.hazelgrad.(**)").should().beFreeOfCycles();

  @ArchTest
  static void packagesAreApiOrSpiOrInternal(JavaClasses classes) {
    Set<String> expected =
        Stream.of(API, SPI, PROGRAMS).flatMap(Stream::of).collect(Collectors.toSet());
    Set<String> found = new TreeSet<>();
    for (JavaClass type : classes) {
      String name = type.getPackageName();
      if (!(name + ".").contains(".internal.") && !name.contains("jmh_generated")) {
        found.add(name);
      }
    }
    assertThat(found)
        .as("packages that are not internal; a new one is listed here on purpose only")
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @ArchTest
  static void packagesAreSmall(JavaClasses classes) throws IOException {
    List<String> tooLarge = new ArrayList<>();
    for (String module : USES.keySet()) {
      Path sources = root().resolve(module).resolve("src/main/java");
      Map<Path, List<Path>> packages;
      try (Stream<Path> files = Files.walk(sources)) {
        packages =
            files
                .filter(file -> file.toString().endsWith(".java"))
                .filter(file -> !file.endsWith("package-info.java"))
                .collect(Collectors.groupingBy(Path::getParent, TreeMap::new, Collectors.toList()));
      }
      for (Map.Entry<Path, List<Path>> each : packages.entrySet()) {
        int lines = 0;
        for (Path file : each.getValue()) {
          lines += Files.readAllLines(file).size();
        }
        int types = each.getValue().size();
        Path name = sources.relativize(each.getKey());
        boolean largest = name.equals(Path.of(LARGEST_PACKAGE));
        if (types > (largest ? MOST_CLASSES_OF_LARGEST : MOST_TOP_LEVEL_CLASSES)
            || lines > (largest ? MOST_LINES_OF_LARGEST : MOST_LINES)) {
          tooLarge.add(name + ": " + types + " classes, " + lines + " lines");
        }
      }
    }
    assertThat(tooLarge)
        .as(
            "packages with more than %d top-level classes or %,d source lines",
            MOST_TOP_LEVEL_CLASSES, MOST_LINES)
        .isEmpty();
  }

  @ArchTest
  static void artifactsDependOnModulesBelow(JavaClasses classes) throws IOException {
    Map<String, Set<String>> wrong = new TreeMap<>();
    for (Map.Entry<String, Set<String>> module : USES.entrySet()) {
      Matcher named =
          ARTIFACT.matcher(Files.readString(root().resolve(module.getKey()).resolve("pom.xml")));
      Set<String> unexpected = new TreeSet<>();
      while (named.find()) {
        String artifact = named.group(1);
        if (!artifact.equals("parent")
            && !artifact.equals(module.getKey())
            && !module.getValue().contains(artifact)) {
          unexpected.add(artifact);
        }
      }
      if (!unexpected.isEmpty()) {
        wrong.put(module.getKey(), unexpected);
      }
    }
    assertThat(wrong).as("dependencies in a module's pom.xml that it may not have").isEmpty();
  }

  @ArchTest
  static void circlesOfClassesAreSmall(JavaClasses classes) {
    Map<String, Set<String>> graph = new TreeMap<>();
    for (JavaClass type : classes) {
      Set<String> used = graph.computeIfAbsent(topLevel(type), key -> new TreeSet<>());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass();
        if (isOurs(target) && module(target).equals(module(type))) {
          used.add(topLevel(target));
        }
      }
    }
    assertThat(new Circles(graph).largerThan(LARGEST_CIRCLE))
        .as(
            "circles of more than %d classes: from each one, uses lead to all others",
            LARGEST_CIRCLE)
        .isEmpty();
  }

  /** Holds for a class if each class of ours that it uses is allowed. */
  private static ArchCondition<JavaClass> useOfOurs(
      String description, BiPredicate<JavaClass, JavaClass> allowed) {
    return new ArchCondition<>(description) {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass();
          if (isOurs(target) && !allowed.test(type, target)) {
            events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
          }
        }
      }
    };
  }

  private static boolean isOurs(JavaClass type) {
    return type.getPackageName().startsWith("io.hazelgrad.");
  }

  private static String module(JavaClass type) {
    String part = type.getPackageName().split("\\.", -1)[2];
    return Objects.requireNonNull(MODULES.get(part), () -> "no module has " + type.getName());
  }

  private static String topLevel(JavaClass type) {
    String name = type.getBaseComponentType().getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private static Path root() {
    return Path.of(System.getProperty("hazelgrad.home"));
  }

  /** The strongly connected components of a graph, by Tarjan's algorithm. */
  private static final class Circles {
    private final Map<String, Set<String>> graph;
    private final Map<String, Integer> order = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();
    private final List<Set<String>> found = new ArrayList<>();

    Circles(Map<String, Set<String>> graph) {
      this.graph = graph;
      graph.keySet().forEach(this::visit);
    }

    private void visit(String node) {
      if (order.containsKey(node)) {
        return;
      }
      order.put(node, order.size());
      lowest.put(node, order.get(node));
      open.push(node);
      for (String next : graph.getOrDefault(node, Set.of())) {
        if (!order.containsKey(next)) {
          visit(next);
          lowest.merge(node, lowest.get(next), Math::min);
        } else if (open.contains(next)) {
          lowest.merge(node, order.get(next), Math::min);
        }
      }
      if (lowest.get(node).equals(order.get(node))) {
        Set<String> circle = new TreeSet<>();
        String member;
        do {
          member = open.pop();
          circle.add(member);
        } while (!member.equals(node));
        found.add(circle);
      }
    }

    Collection<Set<String>> largerThan(int size) {
      return found.stream().filter(circle -> circle.size() > size).toList();
    }
  }
}
