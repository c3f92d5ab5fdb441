package io.hazelgrad.autograd.internal.context;

import io.hazelgrad.autograd.ContextId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The contexts that a worker knows, and those that were closed, so that a late message cannot bring
 * one back. An originator counts its contexts and says with every message which is its oldest open
 * one; so only few closed ones need to be remembered.
 *
 * <p>Threads: safe.
 */
public final class Contexts {
  private final long self;
  private final Map<ContextId, ContextState> open = new HashMap<>();

  /** By other originators, the sequence below which every context is closed. */
  private final Map<Long, Long> floors = new HashMap<>();

  /** Closed contexts of others at or above their originator's floor. */
  private final Set<ContextId> closed = new HashSet<>();

  /** Originators that are gone, as far as is known here: what else they opened is closed, too. */
  private final Set<Long> lost = new HashSet<>();

  /** This worker's own open contexts; what is not among them is closed. */
  private final TreeSet<Long> own = new TreeSet<>();

  private long next = 1;

  /** For the worker with this id. */
  public Contexts(long self) {
    this.self = self;
  }

  /** Opens a context of this worker. */
  public synchronized ContextState open() {
    ContextId id = new ContextId(self, next++);
    own.add(id.sequence());
    ContextState state = new ContextState(id);
    open.put(id, state);
    return state;
  }

  /**
   * Returns a context that a message belongs to; the first message makes it known here.
   *
   * @throws io.hazelgrad.grid.GridException CONTEXT_CLOSED if it was closed
   */
  public synchronized ContextState find(ContextId id) {
    ContextState state = open.get(id);
    if (state == null) {
      if (isClosed(id)) {
        throw ContextState.closed(id);
      }
      state = new ContextState(id);
      open.put(id, state);
    }
    return state;
  }

  /** Returns whether a context was opened by this worker. */
  public boolean isOwn(ContextId id) {
    return id.originator() == self;
  }

  /** Returns a context if it is known and open. */
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

  /** Learns of an originator's floor; returns the contexts that it closes here. */
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

  /** An originator is lost: all its contexts are closed, those too that are not known here. */
  synchronized void originatorLost(long originator) {
    Stream.concat(open.keySet().stream(), closed.stream())
        .filter(id -> id.originator() == originator)
        .mapToLong(ContextId::sequence)
        .max()
        .ifPresent(last -> floors.merge(originator, last + 1, Math::max));
    closed.removeIf(id -> id.originator() == originator);
    lost.add(originator);
  }

  synchronized boolean isLost(long originator) {
    return lost.contains(originator);
  }

  /** Returns the originators that are lost. */
  synchronized Set<Long> lost() {
    return Set.copyOf(lost);
  }

  /**
   * An originator that was thought lost is there: its entry had gone, or members had heard of each
   * other too late. What was known of its contexts stays closed, and new ones can come.
   */
  synchronized void originatorLives(long originator) {
    lost.remove(originator);
  }

  synchronized Collection<ContextState> all() {
    return List.copyOf(open.values());
  }

  /** Returns the open contexts that were opened here. */
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

  /** Returns how many closed contexts are remembered one by one. */
  synchronized int rememberedCount() {
    return closed.size();
  }

  /** Returns whether a context of this worker is open. */
  synchronized boolean isOpen(ContextId id) {
    return open.containsKey(id);
  }
}
