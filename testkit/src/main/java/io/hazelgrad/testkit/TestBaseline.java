package io.hazelgrad.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The threads and ports of this JVM before a test. What is there after it besides them, the test
 * has left.
 *
 * <p>Daemon threads do not count: pools of libraries, which live as long as the JVM, have them. So
 * do threads of Hazelcast and of JUnit.
 *
 * @param withPorts whether ports count
 */
record TestBaseline(Set<Thread> threads, Set<Integer> ports, boolean withPorts) {
  private static final Pattern NOT_OF_TESTS =
      Pattern.compile("(hz\\.|hazelgrad-|junit-).*|.*-NioNetworking-.*");

  static TestBaseline take(boolean withPorts) {
    return new TestBaseline(
        Set.copyOf(Thread.getAllStackTraces().keySet()),
        withPorts ? listening() : Set.of(),
        withPorts);
  }

  /** Returns a line for each thread and port that is new. */
  List<String> leftovers() {
    List<String> found = new ArrayList<>();
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.isDaemon() && thread.isAlive() && !threads.contains(thread))
        .map(Thread::getName)
        .filter(name -> !NOT_OF_TESTS.matcher(name).matches())
        .sorted()
        .forEach(name -> found.add("thread " + name));
    if (withPorts) {
      Set<Integer> now = listening();
      now.removeAll(ports);
      now.forEach(port -> found.add("port " + port));
    }
    return found;
  }

  private static Set<Integer> listening() {
    return new TreeSet<>(ListeningPorts.of(Stream.of(ProcessHandle.current())));
  }
}
