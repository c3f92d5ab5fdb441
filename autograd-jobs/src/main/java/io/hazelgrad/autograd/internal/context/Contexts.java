package io.hazelgrad.autograd.internal.context;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The open contexts that a worker knows, and the closed ones, so that a late message cannot reopen
 * one. An originator counts its contexts, and every message carries the number of its oldest open
 * one, its floor. So only few closed contexts are kept. Threads: safe.
 */
public final class Contexts {
  private static final int MAX_LOST = 1_000;

  private final long self;
  private final Map<ContextId, ContextState> open = new HashMap<>();

  /** For each other originator, the sequence below which every context is closed. */
  private final Map<Long, Long> floors = new HashMap<>();

  /** Closed contexts of others at or above their originator's floor. */
  private final Set<ContextId> closed = new HashSet<>();

  /** The last originators that count as lost here; all their contexts are closed. */
  private final Set<Long> lost = new LinkedHashSet<>();

  /** The sequences of this worker's own open contexts; all others are closed. */
  private final TreeSet<Long> own = new TreeSet<>();

  private long next = 1;

  public Contexts(long self) {
    this.self = self;
  }

  public synchronized ContextState open() {
    ContextId id = new ContextId(self, next++);
    own.add(id.sequence());
    ContextState state = new ContextState(id);
    open.put(id, state);
    return state;
  }

  /** Returns the context of a message, added by the first one; CONTEXT_CLOSED if it is closed. */
  public synchronized ContextState find(ContextId id) {
    if (!open.containsKey(id) && isClosed(id)) {
      throw ContextState.closed(id);
    }
    return open.computeIfAbsent(id, ContextState::new);
  }

  public boolean isOwn(ContextId id) {
    return id.originator() == self;
  }

  public synchronized @Nullable ContextState get(ContextId id) {
    return open.get(id);
  }

  private boolean isClosed(ContextId id) {
    return id.originator() == self
        ? !own.contains(id.sequence())
        : lost.contains(id.originator())
            || id.sequence() < floors.getOrDefault(id.originator(), 0L)
            || closed.contains(id);
  }

  /** Closes a context; returns it if it was open here. */
  public synchronized @Nullable ContextState close(ContextId id) {
    ContextState state = open.remove(id);
    if (id.originator() == self) {
      own.remove(id.sequence());
    } else if (!isClosed(id)) {
      closed.add(id);
    }
    if (state != null) {
      state.close();
    }
    return state;
  }

  /** Returns the sequence below which every context of an originator is closed, as known here. */
  synchronized long floor(long originator) {
    if (originator == self) {
      return own.isEmpty() ? next : own.first();
    }
    return floors.getOrDefault(originator, 0L);
  }

  /** Raises the floor of an originator; returns the open contexts below it, to be closed. */
  synchronized List<ContextId> raiseFloor(long originator, long floor) {
    if (originator == self || floor <= floors.getOrDefault(originator, 0L)) {
      return List.of();
    }
    floors.put(originator, floor);
    closed.removeIf(id -> id.originator() == originator && id.sequence() < floor);
    return open.keySet().stream()
        .filter(id -> id.originator() == originator && id.sequence() < floor)
        .toList();
  }

  /** Closes all contexts of a lost originator, including those that are not known here. */
  synchronized void originatorLost(long originator) {
    Stream.concat(open.keySet().stream(), closed.stream())
        .filter(id -> id.originator() == originator)
        .mapToLong(ContextId::sequence)
        .max()
        .ifPresent(last -> floors.merge(originator, last + 1, Math::max));
    closed.removeIf(id -> id.originator() == originator);
    lost.add(originator);
    if (lost.size() > MAX_LOST) { // A message this late only opens what the next sweep closes.
      long oldest = lost.iterator().next();
      lost.remove(oldest);
      floors.remove(oldest);
    }
  }

  synchronized boolean isLost(long originator) {
    return lost.contains(originator);
  }

  synchronized Set<Long> lost() {
    return Set.copyOf(lost);
  }

  /** Accepts new contexts of an originator that is not lost after all; earlier ones stay closed. */
  synchronized void originatorLives(long originator) {
    lost.remove(originator);
  }

  synchronized Collection<ContextState> all() {
    return List.copyOf(open.values());
  }

  public synchronized List<ContextState> own() {
    return open.values().stream().filter(state -> isOwn(state.id())).toList();
  }

  /** Returns the workers that have run passes in open contexts. */
  public synchronized Set<Long> initiators() {
    Set<Long> initiators = new HashSet<>();
    open.values().forEach(state -> initiators.addAll(state.initiators()));
    return initiators;
  }

  public synchronized int count() {
    return open.size();
  }

  /** Returns the number of closed contexts that are kept one by one. */
  synchronized int rememberedCount() {
    return closed.size();
  }

  static void write(ContextId id, WireOutput out) {
    out.varint(id.originator()).varint(id.sequence());
  }

  static ContextId readId(WireInput in) {
    return new ContextId(in.varint(), in.varint());
  }
}
