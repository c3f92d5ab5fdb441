package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.Status;
import io.hazelgrad.tests.history.CounterModel;
import io.hazelgrad.tests.history.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Everything that all processes noted in a run, by one clock. */
record History(
    List<Use> uses,
    List<Failure> failures,
    List<Useless> useless,
    List<Handle> handles,
    List<Drop> drops,
    List<ForkCount> forkCounts,
    List<Episode> stalls,
    List<Long> successes) {
  /** Hit or read of a counter. */
  record Use(long counter, HeldHandle.Kind kind, Operation<CounterModel.Call> operation) {}

  /** Failure of work in a process. */
  record Failure(String process, String work, Status status, String message, long from, long to) {}

  /**
   * Finding of a process that the object of a handle was lost or not made.
   *
   * @param notMade whether the process has heard that the creation failed
   */
  record Useless(
      String process,
      long counter,
      HeldHandle.Kind kind,
      String owner,
      Status status,
      boolean notMade,
      String message,
      long at) {}

  /** Handle that a process held; {@code to} is {@link Operation#NEVER} if it did not close it. */
  record Handle(
      String process, String owner, long counter, HeldHandle.Kind kind, long from, long to) {}

  /** Drop of an object by its owner. */
  record Drop(long counter, long at) {}

  /** Number of forks in the registry at a time between two. */
  record ForkCount(long counter, int forks, long from, long to) {}

  /** Pauses that are shorter explain nothing. */
  private static final long SHORTEST_STALL = 1_000_000_000;

  History() {
    this(
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>());
  }

  /** Reads the files of a directory. */
  static History read(Path directory) throws IOException {
    History history = new History();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        history.add(Files.readAllLines(file));
      }
    }
    return history;
  }

  /** Adds the lines of one process. The last line may be incomplete if it was killed. */
  void add(List<String> lines) {
    Map<Long, Use> open = new HashMap<>();
    Map<Long, Handle> held = new HashMap<>();
    String process = "?";
    for (String line : lines) {
      if (!line.endsWith("\t")) {
        continue;
      }
      String[] field = line.split("\t");
      switch (field[0]) {
        case "process" -> process = field[1];
        case "use" -> {
          var call = new CounterModel.Call(CounterModel.Kind.valueOf(field[3]), -1);
          open.put(
              number(field[1]),
              new Use(
                  number(field[4]),
                  HeldHandle.Kind.valueOf(field[5]),
                  new Operation<>(call, number(field[2]), Operation.NEVER)));
        }
        case "ok" -> uses.add(returned(open.remove(number(field[1])), field));
        case "none" -> open.remove(number(field[1]));
        case "done" -> successes.add(number(field[1]));
        case "failed" ->
            failures.add(
                new Failure(
                    process,
                    field[4],
                    Status.valueOf(field[3]),
                    String.join(" ", Arrays.asList(field).subList(5, field.length)),
                    number(field[1]),
                    number(field[2])));
        case "useless" ->
            useless.add(
                new Useless(
                    process,
                    number(field[2]),
                    HeldHandle.Kind.valueOf(field[3]),
                    field[4],
                    Status.valueOf(field[5]),
                    field[6].equals("not-made"),
                    field[7],
                    number(field[1])));
        case "stall" -> {
          long from = number(field[1]);
          long to = number(field[2]);
          if (to - from > SHORTEST_STALL) {
            stalls.add(new Episode(TroubleKind.FREEZE, Set.of(process), from, to));
          }
        }
        case "held" ->
            held.put(
                number(field[1]),
                new Handle(
                    process,
                    field[5],
                    number(field[3]),
                    HeldHandle.Kind.valueOf(field[4]),
                    number(field[2]),
                    Operation.NEVER));
        case "closing" -> {
          Handle handle = held.remove(number(field[1]));
          handles.add(
              new Handle(
                  handle.process(),
                  handle.owner(),
                  handle.counter(),
                  handle.kind(),
                  handle.from(),
                  number(field[2])));
        }
        case "dropped" -> drops.add(new Drop(number(field[2]), number(field[1])));
        case "forks" ->
            forkCounts.add(
                new ForkCount(
                    number(field[3]),
                    Integer.parseInt(field[4]),
                    number(field[1]),
                    number(field[2])));
        default -> throw new IllegalArgumentException("no line of a history: " + line);
      }
    }
    uses.addAll(open.values());
    handles.addAll(held.values());
  }

  /** Returns what the history consists of. */
  String summary() {
    return "%s uses of %s counters, %s handles, %s drops, %s counts of forks, %s successes, %s failures, %s stalls"
        .formatted(
            uses.size(),
            uses.stream().map(Use::counter).distinct().count(),
            handles.size(),
            drops.size(),
            forkCounts.size(),
            successes.size(),
            failures.size(),
            stalls.size());
  }

  private static Use returned(Use begun, String[] field) {
    CounterModel.Kind kind = begun.operation().call().kind();
    return new Use(
        begun.counter(),
        begun.kind(),
        new Operation<>(
            new CounterModel.Call(kind, number(field[3])),
            begun.operation().invoked(),
            number(field[2])));
  }

  private static long number(String field) {
    return Long.parseLong(field);
  }
}
