package io.hazelgrad.rref.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.rref.internal.protocol.Command.Adopt;
import io.hazelgrad.rref.internal.protocol.Command.Claim;
import io.hazelgrad.rref.internal.protocol.Command.Create;
import io.hazelgrad.rref.internal.protocol.Command.HolderLost;
import io.hazelgrad.rref.internal.protocol.Command.Keep;
import io.hazelgrad.rref.internal.protocol.Command.OwnerLost;
import io.hazelgrad.rref.internal.protocol.Command.Release;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import io.hazelgrad.rref.internal.protocol.Command.Restore;
import io.hazelgrad.rref.internal.protocol.Command.ValueLost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every cell of the protocol: the table in docs/protocol.md, made from the code and compared with
 * the file. After an intended change, copy the expected text from the failure into the file.
 */
class ProtocolTableTest {
  private static final String BEGIN = "<!-- table: made by ProtocolTableTest -->\n";
  private static final String END = "<!-- end of table -->";

  // The creator's first fork is p, the child is q, made from p; r is a fork of someone else.
  private static final ForkId P = ForkId.of(1, 1);
  private static final ForkId Q = ForkId.of(1, 2);
  private static final ForkId R = ForkId.of(4, 1);
  private static final long CREATOR = 1;
  private static final long OWNER = 2;

  /**
   * A command, and the forks, remembered releases, keeper and epoch that the entry has before it.
   * The epoch is that of an entry which is READY or LOST; without one, ORPHANED has the first.
   */
  private record Row(
      String label,
      Set<ForkId> forks,
      Set<ForkId> released,
      @Nullable ForkId keeper,
      int epoch,
      Command command) {
    Row inEpoch(int before) {
      return new Row(label, forks, released, keeper, before, command);
    }

    Row keptBy(ForkId fork) {
      return new Row(label, forks, released, fork, epoch, command);
    }
  }

  private static final List<Row> ROWS =
      List.of(
          row("Create(p)", "", "", new Create(OWNER, P, CREATOR)),
          row("Create(p)", "q", "", new Create(OWNER, P, CREATOR)),
          row("Create(p)", "", "p", new Create(OWNER, P, CREATOR)),
          row("Create(p)", "q", "p", new Create(OWNER, P, CREATOR)),
          row("Create(p) of another owner", "q", "", new Create(9, P, CREATOR)),
          row("Resolve(READY)", "", "", new Resolve(OWNER, RRefState.READY, "T", null, 0)),
          row("Resolve(READY)", "q", "", new Resolve(OWNER, RRefState.READY, "T", null, 0)),
          row("Resolve(READY, p)", "", "", new Resolve(OWNER, RRefState.READY, "T", P, OWNER)),
          row(
              "Resolve(FAILED, p)",
              "q",
              "",
              new Resolve(OWNER, RRefState.FAILED, null, P, CREATOR)),
          row("Resolve(TIMED_OUT, p)", "", "", timedOut()),
          row("Resolve(TIMED_OUT, p)", "q", "", timedOut()),
          row("Resolve(TIMED_OUT, p)", "", "p", timedOut()),
          row("Resolve(TIMED_OUT, p)", "q", "p", timedOut()),
          row("Claim(p, q)", "p", "", claim()),
          row("Claim(p, q)", "", "", claim()),
          row("Claim(p, q)", "r", "", claim()),
          row("Claim(p, q)", "r", "p", claim()),
          row("Claim(p, q)", "p", "q", claim()),
          row("Claim(p, q)", "q", "p", claim()),
          row("Claim(p, q), keeper r", "r", "", claim()).keptBy(R),
          row("Claim(p, q), keeper r", "r", "p", claim()).keptBy(R),
          row("Keep(r)", "", "", new Keep(R, OWNER)),
          row("Keep(r)", "p", "", new Keep(R, OWNER)),
          row("Keep(r), keeper r", "r", "", new Keep(R, OWNER)).keptBy(R),
          row("Keep(r)", "p", "r", new Keep(R, OWNER)),
          row("Release(r), keeper r", "r", "", new Release(R)).keptBy(R),
          row("Release(r), keeper r", "p, r", "", new Release(R)).keptBy(R),
          row("Restore(p)", "", "", new Restore(P, CREATOR, OWNER)),
          row("Restore(p)", "r", "", new Restore(P, CREATOR, OWNER)),
          row("Restore(p)", "p", "", new Restore(P, CREATOR, OWNER)),
          row("Restore(p)", "r", "p", new Restore(P, CREATOR, OWNER)),
          row("Release(p)", "p", "", new Release(P)),
          row("Release(p)", "p, r", "", new Release(P)),
          row("Release(p)", "r", "", new Release(P)),
          row("Release(p)", "", "", new Release(P)),
          row("Release(p)", "", "p", new Release(P)),
          row("Release(p)", "r", "p", new Release(P)),
          row("HolderLost(holder of p)", "p", "", new HolderLost(CREATOR)),
          row("HolderLost(holder of p)", "p, r", "", new HolderLost(CREATOR)),
          row("HolderLost(holder of p)", "", "", new HolderLost(CREATOR)),
          row("HolderLost(holder of nothing)", "r", "", new HolderLost(8)),
          row("OwnerLost(owner)", "r", "", new OwnerLost(OWNER)),
          row("OwnerLost(owner)", "", "", new OwnerLost(OWNER)),
          row("OwnerLost(another)", "r", "", new OwnerLost(9)),
          row("OwnerLost(owner), epoch 1", "r", "", new OwnerLost(OWNER)).inEpoch(1),
          row("Resolve(READY, epoch 1)", "q", "", durable()),
          row("Resolve(READY, epoch 1), epoch 1", "q", "", durable()).inEpoch(1),
          row("Resolve(READY, epoch 1), epoch 2", "q", "", durable()).inEpoch(2),
          row("Adopt(1, other)", "", "", new Adopt(1, 9)),
          row("Adopt(1, other), epoch 1", "r", "", new Adopt(1, 9)).inEpoch(1),
          row("Adopt(1, other), epoch 2", "r", "", new Adopt(1, 9)).inEpoch(2),
          row("Adopt(1, owner), epoch 2", "r", "", new Adopt(1, OWNER)).inEpoch(2),
          row("ValueLost(1)", "", "", new ValueLost(1)),
          row("ValueLost(1), epoch 1", "r", "", new ValueLost(1)).inEpoch(1),
          row("ValueLost(1), epoch 2", "r", "", new ValueLost(1)).inEpoch(2));

  @Test
  void tableOfDocumentMatchesCode() throws IOException {
    String document = Files.readString(find("docs/protocol.md"));
    int begin = document.indexOf(BEGIN) + BEGIN.length();
    int end = document.indexOf(END);

    assertThat(document.substring(begin, end)).isEqualTo(table());
  }

  private static String table() {
    StringBuilder table = new StringBuilder("| command | forks | over |");
    for (RRefState state : RRefState.values()) {
      table.append(' ').append(state).append(" |");
    }
    table.append("\n|").append("---|".repeat(3 + RRefState.values().length)).append('\n');
    for (Row row : ROWS) {
      table
          .append("| ")
          .append(row.label)
          .append(" | ")
          .append(names(row.forks))
          .append(" | ")
          .append(names(row.released))
          .append(" |");
      for (RRefState state : RRefState.values()) {
        table.append(' ').append(cell(row, state)).append(" |");
      }
      table.append('\n');
    }
    return table.toString();
  }

  private static String cell(Row row, RRefState state) {
    boolean kept = state.isLive() || state == RRefState.LOST;
    boolean empty = row.forks.isEmpty() && row.released.isEmpty();
    if ((kept && row.forks.isEmpty()) || (state == RRefState.ABSENT && !empty)) {
      return "·";
    }
    Entry entry = state == RRefState.ABSENT ? Entry.ABSENT : entry(row, state);
    Registry.Result result = Registry.apply(entry, row.command);
    String verdict = result.reply().verdict().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return result.changed() ? effect(entry, result.entry()) + " " + verdict : verdict;
  }

  private static String effect(Entry before, Entry after) {
    StringBuilder effect = new StringBuilder("**" + after.state() + "**");
    for (ForkId fork : List.of(P, Q, R)) {
      boolean was = before.forks().contains(fork);
      boolean is = after.forks().contains(fork);
      boolean isRemembered = after.released().contains(fork);
      if (is && !was) {
        effect.append(" +").append(name(fork));
      } else if (was && !is) {
        effect.append(" -").append(name(fork));
      } else if (!was && isRemembered && !before.released().contains(fork)) {
        effect.append(" (").append(name(fork)).append(" over)");
      }
    }
    if (after.owner() != before.owner() && before.state() == RRefState.ORPHANED) {
      effect.append(" of other");
    }
    if (after.keeper() != null && before.keeper() == null) {
      effect.append(" keeper");
    }
    if (after.epoch() != before.epoch()) {
      effect.append(" epoch ").append(after.epoch());
    }
    return effect.toString();
  }

  private static Entry entry(Row row, RRefState state) {
    Entry entry = Entry.ABSENT.in(state, OWNER, state == RRefState.READY ? "T" : null);
    if (state == RRefState.GONE) {
      return entry.gone();
    }
    if (state == RRefState.READY || state == RRefState.ORPHANED || state == RRefState.LOST) {
      int least = state == RRefState.ORPHANED ? 1 : Entry.NOT_DURABLE;
      entry = entry.inEpoch(Math.max(row.epoch, least));
    }
    for (ForkId fork : row.released) {
      entry = entry.withoutFork(fork);
    }
    for (ForkId fork : row.forks) {
      entry = entry.withFork(fork, fork.equals(P) ? CREATOR : fork.equals(Q) ? 3 : 4);
    }
    return row.keeper == null ? entry : entry.keptBy(row.keeper);
  }

  private static Row row(String label, String forks, String released, Command command) {
    return new Row(label, parse(forks), parse(released), null, Entry.NOT_DURABLE, command);
  }

  private static Command claim() {
    return new Claim(P, Q, 3, OWNER);
  }

  private static Command durable() {
    return new Resolve(OWNER, RRefState.READY, "T", null, 0, 1);
  }

  private static Command timedOut() {
    return new Resolve(OWNER, RRefState.TIMED_OUT, null, P, CREATOR);
  }

  private static Set<ForkId> parse(String names) {
    return switch (names) {
      case "" -> Set.of();
      case "p" -> Set.of(P);
      case "q" -> Set.of(Q);
      case "r" -> Set.of(R);
      case "p, r" -> Set.of(P, R);
      default -> throw new IllegalArgumentException(names);
    };
  }

  private static String names(Set<ForkId> forks) {
    return String.join(", ", forks.stream().sorted().map(ProtocolTableTest::name).toList());
  }

  private static String name(ForkId fork) {
    return fork.equals(P) ? "p" : fork.equals(Q) ? "q" : "r";
  }

  private static Path find(String name) {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve(name))) {
      folder = folder.getParent();
    }
    return folder.resolve(name);
  }
}
