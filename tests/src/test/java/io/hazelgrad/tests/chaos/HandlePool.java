package io.hazelgrad.tests.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Set of the handles that an agent holds and does not use at the moment. Threads: safe. */
final class HandlePool {
  private final List<HeldHandle> holdings = new ArrayList<>();

  /** Handles that are closed as soon as no reply that carries them is being sent. */
  private final List<HeldHandle> discarded = new ArrayList<>();

  private boolean over;

  /** Removes and returns a random handle; null if there is none. */
  synchronized @Nullable HeldHandle draw(Random random) {
    return holdings.isEmpty() ? null : holdings.remove(random.nextInt(holdings.size()));
  }

  synchronized void put(HeldHandle holding) {
    if (over) {
      holding.close();
    } else {
      holdings.add(holding);
    }
  }

  /** Releases a handle that was drawn. */
  synchronized void discard(HeldHandle holding) {
    if (over || !holding.isLent()) {
      holding.close();
    } else {
      discarded.add(holding);
    }
    discarded.removeIf(
        old -> {
          if (old.isLent()) {
            return false;
          }
          old.close();
          return true;
        });
  }

  synchronized int size() {
    return holdings.size();
  }

  synchronized List<HeldHandle> all() {
    return List.copyOf(holdings);
  }

  /** Releases all handles, and every handle that is added later. */
  synchronized void empty() {
    over = true;
    holdings.forEach(holding -> holding.close());
    discarded.forEach(holding -> holding.close());
    holdings.clear();
    discarded.clear();
  }
}
