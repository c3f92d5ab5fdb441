package io.hazelgrad.grid.internal.waits;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Durations and lists of names in sentences for people. */
final class Texts {
  private Texts() {}

  /** Returns a duration, such as {@code 7.2 s}. */
  static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.1f s", millis / 1e3);
  }

  /** Returns names as a list, such as {@code a, b and c}. */
  static String list(Collection<String> names) {
    List<String> all = new ArrayList<>(names);
    if (all.size() < 2) {
      return String.join("", all);
    }
    String last = all.remove(all.size() - 1);
    return String.join(", ", all) + " and " + last;
  }
}
