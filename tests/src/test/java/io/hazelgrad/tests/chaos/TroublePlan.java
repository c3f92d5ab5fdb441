package io.hazelgrad.tests.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Random schedule of troubles that depends on the seed only. At most two workers are in trouble at
 * a time, so that a connected majority always exists.
 */
final class TroublePlan {
  /**
   * Trouble with its time in ms of the plan.
   *
   * @param who the workers or the client that it concerns
   */
  record Trouble(TroubleKind kind, List<String> who, long at, long lasts) {
    @Override
    public String toString() {
      return kind + " " + String.join(",", who) + " for " + lasts + " ms";
    }
  }

  private static final List<String> WORKERS = List.of("A", "B", "C", "D");
  private static final List<String> CLIENTS = List.of("p", "q");
  private static final int MOST_AT_ONCE = 2;
  private static final long RECOVERY_MILLIS = 6000;
  private static final int SHORTEST_PAUSE = 300;
  private static final int LONGEST_PAUSE = 2500;
  private static final String NETWORK = "the network";

  private final Random random;
  private final List<TroubleKind> kinds;
  private final Map<String, Long> busyUntil = new HashMap<>();
  private long clock = 2000;

  TroublePlan(List<TroubleKind> kinds, Random random) {
    this.kinds = kinds;
    this.random = random;
  }

  /**
   * Returns the next trouble, of a kind at random. It begins when its victims are free of others.
   */
  Trouble next() {
    TroubleKind kind = kinds.get(random.nextInt(kinds.size()));
    Trouble trouble;
    do {
      clock += SHORTEST_PAUSE + random.nextInt(LONGEST_PAUSE - SHORTEST_PAUSE);
      trouble = draw(kind);
    } while (!isPossible(trouble));
    for (String who : taken(trouble)) {
      busyUntil.put(who, clock + trouble.lasts() + RECOVERY_MILLIS);
    }
    return trouble;
  }

  private Trouble draw(TroubleKind kind) {
    List<String> who = new ArrayList<>(kind.isOfClients() ? CLIENTS : WORKERS);
    Collections.shuffle(who, random);
    long lasts = (long) kind.shortest() + random.nextInt(kind.longest() - kind.shortest());
    List<String> victims =
        kind == TroubleKind.JOIN
            ? List.of("E")
            : kind == TroubleKind.CLIENT_CUT ? List.of("q") : who.subList(0, kind.victims());
    return new Trouble(kind, List.copyOf(victims), clock, lasts);
  }

  private static List<String> taken(Trouble trouble) {
    return trouble.kind().isOfNetwork()
        ? Stream.concat(trouble.who().stream(), Stream.of(NETWORK)).toList()
        : trouble.who();
  }

  private boolean isPossible(Trouble trouble) {
    long workers = WORKERS.stream().filter(this::isBusy).count();
    long more = trouble.who().stream().filter(WORKERS::contains).count();
    return taken(trouble).stream().noneMatch(this::isBusy) && workers + more <= MOST_AT_ONCE;
  }

  private boolean isBusy(String who) {
    return busyUntil.getOrDefault(who, 0L) > clock;
  }

  /** Returns a count of 0 for each kind. */
  static Map<TroubleKind, Long> noCounts(List<TroubleKind> kinds) {
    Map<TroubleKind, Long> counts = new EnumMap<>(TroubleKind.class);
    kinds.forEach(kind -> counts.put(kind, 0L));
    return counts;
  }
}
