package io.hazelgrad.rref.internal.protocol;

import java.util.Arrays;

/** A set of longs that are not -1, in a tenth of the memory of a HashSet. */
public final class LongSet {
  private static final long FREE = -1;

  private long[] slots = new long[1 << 16];
  private int size;

  public LongSet() {
    Arrays.fill(slots, FREE);
  }

  public int size() {
    return size;
  }

  public boolean add(long value) {
    int slot = slot(value);
    if (slots[slot] == value) {
      return false;
    }
    slots[slot] = value;
    size++;
    if (size > slots.length / 2) {
      grow();
    }
    return true;
  }

  private int slot(long value) {
    long hash = value * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> 32) & (slots.length - 1);
    while (slots[slot] != FREE && slots[slot] != value) {
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private void grow() {
    long[] old = slots;
    slots = new long[2 * old.length];
    Arrays.fill(slots, FREE);
    for (long value : old) {
      if (value != FREE) {
        slots[slot(value)] = value;
      }
    }
  }
}
