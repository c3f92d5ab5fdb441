package io.hazelgrad.tests.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Set of the handles that an agent holds and does not use at the moment. Threads: safe. */
final class Bag {
  private final List<Holding> holdings = new ArrayList<>();

  /** Handles that are closed as soon as no reply that carries them is being sent. */
  private final List<Holding> discarded = new ArrayList<>();

  private boolean over;

  /** Removes and returns a random handle; null if there is none. */
  synchronized @Nullable Holding draw(Random random) {
    return holdings.isEmpty() ? null : holdings.remove(random.nextInt(holdings.size()));
  }

  synchronized void put(Holding holding) {
    if (over) {
      holding.rref().close();
    } else {
      holdings.add(holding);
    }
  }

  /** Releases a handle that was drawn. */
  synchronized void discard(Holding holding) {
    if (over || !holding.isLent()) {
      holding.rref().close();
    } else {
      discarded.add(holding);
    }
    discarded.removeIf(
        old -> {
          if (old.isLent()) {
            return false;
          }
          old.rref().close();
          return true;
        });
  }

  synchronized int size() {
    return holdings.size();
  }

  synchronized List<Holding> all() {
    return List.copyOf(holdings);
  }

  /** Releases all handles, and every handle that is added later. */
  synchronized void empty() {
    over = true;
    holdings.forEach(holding -> holding.rref().close());
    discarded.forEach(holding -> holding.rref().close());
    holdings.clear();
    discarded.clear();
  }
}
