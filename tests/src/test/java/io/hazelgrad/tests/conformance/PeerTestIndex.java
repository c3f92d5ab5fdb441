package io.hazelgrad.tests.conformance;

import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Index of the annotations {@link PeerTest} on the compiled tests of this module. */
final class PeerTestIndex {
  private static final String ALL = "io.hazelgrad.";
  private static final String OURS = ALL + "tests.conformance.";

  private final Map<String, Set<String>> byMember = new HashMap<>();
  private final Map<String, Set<String>> byClient = new HashMap<>();

  /** Reads the annotations of all test classes, without the examples of this generator's test. */
  static PeerTestIndex load() throws IOException, ReflectiveOperationException, URISyntaxException {
    Path root =
        Path.of(PeerTestIndex.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    PeerTestIndex index = new PeerTestIndex();
    try (Stream<Path> files = Files.walk(root)) {
      List<String> names =
          files
              .map(file -> root.relativize(file).toString().replace('\\', '/'))
              .filter(name -> name.startsWith("io/hazelgrad/") && name.endsWith(".class"))
              .map(name -> name.substring(0, name.length() - 6).replace('/', '.'))
              .filter(
                  name -> !name.endsWith("package-info") && !name.contains("ConformanceDocTest$"))
              .toList();
      Set<Class<?>> types = new HashSet<>();
      for (String name : names) {
        types.add(Class.forName(name, false, PeerTestIndex.class.getClassLoader()));
      }
      index.addAll(types);
    }
    return index;
  }

  void addAll(Set<Class<?>> types) {
    Set<Class<?>> clientSuites = new HashSet<>();
    for (Class<?> type : types) {
      if (WorkersOnly.Condition.isClientSuite(type)) {
        clientSuites.add(type.getSuperclass());
      }
    }
    for (Class<?> type : types) {
      for (Method method : type.getDeclaredMethods()) {
        for (PeerTest covered : method.getAnnotationsByType(PeerTest.class)) {
          add(method, covered, clientSuites.contains(type));
        }
      }
    }
  }

  private void add(Method method, PeerTest covered, boolean suiteOfClients) {
    for (String name : covered.value()) {
      if (!covered.client()) {
        byMember.computeIfAbsent(name, key -> new TreeSet<>()).add(reference(method));
      }
      if (covered.client() || (suiteOfClients && !method.isAnnotationPresent(WorkersOnly.class))) {
        byClient.computeIfAbsent(name, key -> new TreeSet<>()).add(reference(method));
      }
    }
  }

  /** Returns a test's name as the page has it. */
  private static String reference(Method method) {
    String type = method.getDeclaringClass().getName();
    String shorter =
        type.startsWith(OURS) ? type.substring(OURS.length()) : type.substring(ALL.length());
    return "`" + shorter + "#" + method.getName() + "`";
  }

  /** Returns the references of the tests that cover a test of the peer between members. */
  Set<String> byMember(String name) {
    return byMember.getOrDefault(name, Set.of());
  }

  /** Returns the references of the tests that cover a test of the peer from a client. */
  Set<String> byClient(String name) {
    return byClient.getOrDefault(name, Set.of());
  }

  /** Returns all names of tests of the peer that annotations have. */
  Set<String> names() {
    Set<String> names = new TreeSet<>(byMember.keySet());
    names.addAll(byClient.keySet());
    return names;
  }
}
