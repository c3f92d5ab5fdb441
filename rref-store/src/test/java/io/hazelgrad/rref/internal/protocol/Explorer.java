package io.hazelgrad.rref.internal.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Delivers the commands of a small world to one entry in every order, each at most twice, and lets
 * checks look at every step.
 *
 * <p>There are millions of worlds but only some thousand different entries, so each entry has a
 * number, a command is applied to it once, and a world is packed into one long.
 */
final class Explorer {
  private static final int ENTRY_BITS = 18;

  /** A command that may arrive at the registry, as soon as its sender may have sent it. */
  record Step(String name, Command command, Guard guard) {}

  /** Whether the sender of a step may have sent it in a world. */
  interface Guard {
    boolean allows(World world);
  }

  /** Looks at what a command does to an entry, however it got there. */
  interface EntryCheck {
    void look(Entry before, Command command, Registry.Result result);
  }

  /** Looks at a step of a world. */
  interface WorldCheck {
    void look(World before, Step step, CommandReply reply, World after);
  }

  private record Move(int entry, Registry.Result result) {}

  private final List<Step> steps;
  private final List<ForkId> forks;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Move[]> moves = new ArrayList<>();
  private final Map<Entry, Integer> numbers = new HashMap<>();
  private final LongSet seen = new LongSet();

  Explorer(List<Step> steps, List<ForkId> forks) {
    this.steps = steps;
    this.forks = forks;
    assertThatItFits(3 * steps.size() + forks.size() + ENTRY_BITS <= Long.SIZE);
  }

  /** Explores every order; each check throws an AssertionError at a step that is wrong. */
  void explore(EntryCheck entryCheck, WorldCheck worldCheck) {
    long[] open = new long[1024];
    int size = 1;
    open[0] = new World(number(Entry.ABSENT), 0, 0, 0).pack();
    seen.add(open[0]);
    while (size > 0) {
      World before = unpack(open[--size]);
      for (int i = 0; i < steps.size(); i++) {
        Step step = steps.get(i);
        int arrivals = before.arrivals(i);
        if (arrivals == 2 || (arrivals == 0 && !step.guard().allows(before))) {
          continue;
        }
        try {
          Move move = move(before, i, entryCheck);
          World after = before.after(i, move);
          worldCheck.look(before, step, move.result().reply(), after);
          if (seen.add(after.pack())) {
            if (size == open.length) {
              open = Arrays.copyOf(open, 2 * size);
            }
            open[size++] = after.pack();
          }
        } catch (AssertionError e) {
          throw new AssertionError(step.command() + "\nfrom " + before, e);
        }
      }
    }
  }

  int worlds() {
    return seen.size();
  }

  int entries() {
    return entries.size();
  }

  private Move move(World before, int step, EntryCheck check) {
    Move[] known = moves.get(before.entry);
    if (known[step] == null) {
      Command command = steps.get(step).command();
      Registry.Result result = Registry.apply(before.entry(), command);
      check.look(before.entry(), command, result);
      known[step] = new Move(number(result.entry()), result);
    }
    return known[step];
  }

  private int number(Entry entry) {
    return numbers.computeIfAbsent(
        entry,
        added -> {
          entries.add(added);
          moves.add(new Move[steps.size()]);
          assertThatItFits(entries.size() < 1 << ENTRY_BITS);
          return entries.size() - 1;
        });
  }

  private static void assertThatItFits(boolean fits) {
    if (!fits) {
      throw new IllegalArgumentException("A world does not fit into a long");
    }
  }

  private World unpack(long packed) {
    int entry = (int) packed & ((1 << ENTRY_BITS) - 1);
    long rest = packed >>> ENTRY_BITS;
    long arrivals = rest & ((1L << (2 * steps.size())) - 1);
    rest >>>= 2 * steps.size();
    return new World(entry, arrivals, rest & ((1L << steps.size()) - 1), rest >>> steps.size());
  }

  /** An entry and its past. */
  final class World {
    private final int entry;
    private final long arrivals;
    private final long accepted;
    private final long lived;

    /**
     * Makes a world.
     *
     * @param entry number of the entry
     * @param arrivals how often each step arrived, two bits for each
     * @param accepted the steps that were answered with OK, one bit for each
     * @param lived the forks that were ever live, one bit for each
     */
    private World(int entry, long arrivals, long accepted, long lived) {
      this.entry = entry;
      this.arrivals = arrivals;
      this.accepted = accepted;
      this.lived = lived;
    }

    Entry entry() {
      return entries.get(entry);
    }

    /** Returns whether a step of this name exists and has arrived. */
    boolean arrived(String name) {
      int step = find(name);
      return step >= 0 && arrivals(step) > 0;
    }

    /** Returns whether a step of this name exists and was answered with OK. */
    boolean accepted(String name) {
      int step = find(name);
      return step >= 0 && (accepted >> step & 1) != 0;
    }

    /** Returns whether a fork is live or was. */
    boolean lived(ForkId fork) {
      return (lived >> forks.indexOf(fork) & 1) != 0;
    }

    private int arrivals(int step) {
      return (int) (arrivals >> (2 * step)) & 3;
    }

    private World after(int step, Move move) {
      long alive = lived;
      for (int i = 0; i < forks.size(); i++) {
        alive |= move.result().entry().forks().contains(forks.get(i)) ? 1L << i : 0;
      }
      long ok = move.result().reply().isOk() ? 1L << step : 0;
      return new World(move.entry(), arrivals + (1L << (2 * step)), accepted | ok, alive);
    }

    private long pack() {
      int count = steps.size();
      return entry | (arrivals | (accepted | lived << count) << (2 * count)) << ENTRY_BITS;
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(entry().toString()).append(" after");
      for (int i = 0; i < steps.size(); i++) {
        if (arrivals(i) > 0) {
          text.append(' ').append(steps.get(i).name()).append(" x").append(arrivals(i));
        }
      }
      return text.toString();
    }
  }

  private int find(String name) {
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
