package io.hazelgrad.grid;

import java.util.UUID;

/**
 * A named member that runs calls. A value: it travels in calls and can be a map key.
 *
 * @param name its name, unique among the living workers
 * @param id a number that no other worker, before or after, ever has
 * @param incarnation the UUID of its Hazelcast member
 */
public record Worker(String name, long id, UUID incarnation) {
  /** Replaces control characters of the name: a client's may be any text, and logs quote it. */
  public Worker {
    for (int i = 0; i < name.length(); i++) {
      if (isControl(name.charAt(i))) {
        name = name.replace(name.charAt(i), '?');
      }
    }
  }

  /**
   * Returns {@code #} and the id, which names this incarnation wherever a call or a reference takes
   * a worker's name. A worker's own name never begins with {@code #}.
   */
  public String callee() {
    return "#" + id;
  }

  /** Returns whether a text is the name or the {@link #callee} of this worker. */
  public boolean isNamed(String text) {
    return name.equals(text) || (text.startsWith("#") && text.equals(callee()));
  }

  private static boolean isControl(char each) {
    return Character.isISOControl(each) || each == '\u2028' || each == '\u2029';
  }
}
