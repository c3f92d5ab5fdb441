package io.hazelgrad.autograd.internal.plan;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Collection;
import java.util.Collections;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The committed and the aborted passes of one initiator. Passes count from 1.
 *
 * <p>Workers pass these on to each other. {@link #merge} unites two states of knowledge; it is
 * commutative and idempotent. If one state says committed and the other aborted, committed wins:
 * only the initiator commits, while other workers presume an abort when it dies. Threads:
 * immutable; nobody changes the sets.
 *
 * @param floor the first undecided pass
 */
public record PassDecisions(
    long floor, NavigableSet<Long> aborted, NavigableSet<Long> committedAbove) {
  /*
   * Every pass below the floor is decided: committed, unless listed as aborted. The pass at the
   * floor is undecided. Above the floor only the listed passes are decided. So each state of
   * knowledge has one form, and an initiator that commits its passes in order has two empty lists.
   */

  /** Nothing is decided. */
  public static final PassDecisions NONE =
      new PassDecisions(1, Collections.emptyNavigableSet(), Collections.emptyNavigableSet());

  /** Returns these decisions and that pass {@code sequence} is committed. */
  public PassDecisions commit(long sequence) {
    if (isAborted(check(sequence))) {
      throw new IllegalStateException("pass " + sequence + " is aborted already");
    }
    NavigableSet<Long> committed = new TreeSet<>(committedAbove);
    committed.add(sequence);
    return isCommitted(sequence) ? this : normal(floor, aborted, committed);
  }

  /** Returns these decisions and that pass {@code sequence} is aborted. */
  public PassDecisions abort(long sequence) {
    if (isCommitted(check(sequence))) {
      throw new IllegalStateException("pass " + sequence + " is committed already");
    }
    NavigableSet<Long> more = new TreeSet<>(aborted);
    more.add(sequence);
    return normal(floor, more, committedAbove);
  }

  /**
   * Returns these decisions without aborted passes that no worker has staged or can stage again. A
   * pass below the floor that is not listed counts as committed, which then has no effect. So
   * failed passes do not accumulate here and in every message.
   *
   * @param settled aborted passes that all participants know; those from the floor on stay listed
   */
  public PassDecisions forget(Collection<Long> settled) {
    NavigableSet<Long> left = new TreeSet<>(aborted);
    settled.stream().filter(pass -> pass < floor).forEach(left::remove);
    return new PassDecisions(floor, left, committedAbove);
  }

  /** Returns the union of these and the other decisions. */
  public PassDecisions merge(PassDecisions other) {
    if (other.equals(this)) {
      return this;
    }
    NavigableSet<Long> allAborted = new TreeSet<>(aborted);
    allAborted.addAll(other.aborted);
    allAborted.removeIf(each -> isCommitted(each) || other.isCommitted(each));
    NavigableSet<Long> allCommitted = new TreeSet<>(committedAbove);
    allCommitted.addAll(other.committedAbove);
    return normal(Math.max(floor, other.floor), allAborted, allCommitted);
  }

  public boolean isCommitted(long sequence) {
    return sequence < floor
        ? sequence > 0 && !aborted.contains(sequence)
        : committedAbove.contains(sequence);
  }

  boolean isAborted(long sequence) {
    return aborted.contains(sequence);
  }

  public boolean isDecided(long sequence) {
    return isCommitted(sequence) || isAborted(sequence);
  }

  /** Writes the decisions: two varints if there are no aborted passes and no gaps. */
  public void write(WireOutput out) {
    out.varint(floor).varint(aborted.size() * 2L + (committedAbove.isEmpty() ? 0 : 1));
    writeSteps(aborted, out);
    if (!committedAbove.isEmpty()) {
      out.varint(committedAbove.size());
      writeSteps(committedAbove, out);
    }
  }

  public static PassDecisions read(WireInput in) {
    long floor = in.varint();
    long head = in.varint();
    if (floor < 1 || head < 0 || head / 2 > in.remaining()) {
      throw in.damaged("decisions with floor=" + floor + " and head=" + head);
    }
    NavigableSet<Long> aborted = readSteps((int) (head / 2), in);
    NavigableSet<Long> committed = readSteps(head % 2 == 0 ? 0 : in.count(1), in);
    if (!Collections.disjoint(aborted, committed)) {
      throw in.damaged("a pass is both committed and aborted");
    }
    return normal(floor, aborted, committed);
  }

  @Override
  public String toString() {
    return "Decisions(all below %s, aborted %s, committed %s)"
        .formatted(floor, aborted, committedAbove);
  }

  private static PassDecisions normal(
      long floor, NavigableSet<Long> aborted, NavigableSet<Long> committed) {
    while (aborted.contains(floor) || committed.contains(floor)) {
      floor++;
    }
    return new PassDecisions(floor, aborted, new TreeSet<>(committed.tailSet(floor, true)));
  }

  private static long check(long sequence) {
    if (sequence < 1) {
      throw new IllegalArgumentException("passes count from 1: " + sequence);
    }
    return sequence;
  }

  private static void writeSteps(NavigableSet<Long> numbers, WireOutput out) {
    long last = 0;
    for (long next : numbers) {
      out.varint(next - last);
      last = next;
    }
  }

  private static NavigableSet<Long> readSteps(int count, WireInput in) {
    NavigableSet<Long> numbers = new TreeSet<>();
    long last = 0;
    for (int i = 0; i < count; i++) {
      long next = last + in.varint();
      if (next <= last) {
        throw in.damaged("pass number " + next + " after " + last);
      }
      numbers.add(next);
      last = next;
    }
    return numbers;
  }
}
