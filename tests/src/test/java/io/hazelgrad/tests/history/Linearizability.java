package io.hazelgrad.tests.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Check that a history is linearizable: that its operations have an order, each one between its
 * invocation and its return, in which the sequential {@link Model} gives the same results.
 *
 * <p>The search is that of Wing and Gong, with two ideas of Lowe. An operation is placed only when
 * the next return needs it (just in time). A set of placed operations with a state is tried only
 * once (memoization). Operations without a known return may be placed or left out. Equal ones of
 * them are placed in the order of their invocations, since any other order allows no more.
 */
public final class Linearizability<S, C> {
  private static final int MOST_CONFIGURATIONS = 1_000_000;

  private record Configuration<S>(BitSet placed, S state) {}

  /** A configuration, and the operations that can be placed next. */
  private record Step<S>(Configuration<S> from, Iterator<Integer> next) {}

  private final Model<S, C> model;
  private final List<Operation<C>> operations;
  private final Set<Configuration<S>> tried = new HashSet<>();

  private Linearizability(Model<S, C> model, List<Operation<C>> operations) {
    this.model = model;
    this.operations = new ArrayList<>(operations);
    this.operations.sort(Comparator.comparingLong(Operation::invoked));
  }

  /** Returns what is wrong with a history, or the empty string if it is linearizable. */
  public static <S, C> String violation(Model<S, C> model, List<Operation<C>> history) {
    return new Linearizability<>(model, history).search();
  }

  private String search() {
    Configuration<S> start = new Configuration<>(new BitSet(), model.initial());
    Configuration<S> furthest = start;
    Deque<Step<S>> path = new ArrayDeque<>();
    path.push(new Step<>(start, candidates(start)));
    while (!path.isEmpty()) {
      Step<S> step = path.peek();
      if (awaited(step.from().placed()) == null) {
        return "";
      }
      if (!step.next().hasNext()) {
        path.pop();
        continue;
      }
      Configuration<S> next = place(step.from(), step.next().next());
      if (next != null && tried.add(next)) {
        if (tried.size() > MOST_CONFIGURATIONS) {
          return "undecided after " + MOST_CONFIGURATIONS + " configurations: " + operations;
        }
        if (next.placed().cardinality() > furthest.placed().cardinality()) {
          furthest = next;
        }
        path.push(new Step<>(next, candidates(next)));
      }
    }
    return "no order explains "
        + awaited(furthest.placed())
        + " in state "
        + furthest.state()
        + " after "
        + furthest.placed().cardinality()
        + " of "
        + operations;
  }

  private @Nullable Configuration<S> place(Configuration<S> from, int index) {
    S state = model.after(from.state(), operations.get(index).call());
    if (state == null) {
      return null;
    }
    BitSet placed = (BitSet) from.placed().clone();
    placed.set(index);
    return new Configuration<>(placed, state);
  }

  /** Returns the operation that returns first of those that are not placed; null if none does. */
  private @Nullable Operation<C> awaited(BitSet placed) {
    Operation<C> first = null;
    for (int i = placed.nextClearBit(0); i < operations.size(); i = placed.nextClearBit(i + 1)) {
      Operation<C> operation = operations.get(i);
      if (first != null && operation.invoked() > first.returned()) {
        break;
      }
      if (!operation.isPending() && (first == null || operation.returned() < first.returned())) {
        first = operation;
      }
    }
    return first;
  }

  /** Returns the operations that can be next: the awaited one, then others, then pending ones. */
  private Iterator<Integer> candidates(Configuration<S> configuration) {
    Operation<C> awaited = awaited(configuration.placed());
    List<Integer> found = new ArrayList<>();
    if (awaited != null) {
      BitSet placed = configuration.placed();
      Set<C> pending = new HashSet<>();
      for (int i = placed.nextClearBit(0);
          i < operations.size() && operations.get(i).invoked() <= awaited.returned();
          i = placed.nextClearBit(i + 1)) {
        Operation<C> operation = operations.get(i);
        if (!operation.isPending() || pending.add(operation.call())) {
          found.add(i);
        }
      }
      found.sort(Comparator.comparingLong(i -> operations.get(i).returned()));
    }
    return found.iterator();
  }
}
