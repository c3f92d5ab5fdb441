package io.hazelgrad.rref.internal.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The entries that an exploration meets. Each has a number, and each command is applied to each
 * entry once, with the invariants that every step must keep.
 */
public final class EntrySpace {
  /** What a command does to an entry. */
  record Move(int entry, CommandReply reply) {}

  static final int ABSENT = 0;

  private final List<Entry> entries = new ArrayList<>();
  private final List<Map<Command, Move>> moves = new ArrayList<>();
  private final Map<Entry, Integer> numbers = new HashMap<>();

  public EntrySpace() {
    var unused = number(Entry.ABSENT);
  }

  Entry get(int number) {
    return entries.get(number);
  }

  public int size() {
    return entries.size();
  }

  Move apply(int entry, Command command) {
    Move known = moves.get(entry).get(command);
    if (known == null) {
      Registry.Result result = Registry.apply(entries.get(entry), command);
      RegistryExplorationTest.invariants(entries.get(entry), command, result);
      known = new Move(number(result.entry()), result.reply());
      moves.get(entry).put(command, known);
    }
    return known;
  }

  private int number(Entry entry) {
    return numbers.computeIfAbsent(
        entry,
        added -> {
          entries.add(added);
          moves.add(new HashMap<>());
          return entries.size() - 1;
        });
  }
}
