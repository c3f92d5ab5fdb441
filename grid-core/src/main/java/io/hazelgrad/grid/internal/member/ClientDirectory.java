package io.hazelgrad.grid.internal.member;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.map.listener.EntryAddedListener;
import com.hazelcast.map.listener.EntryRemovedListener;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The clients of the grid as one member sees them: the map {@code hazelgrad.clients} from a
 * client's id to what callees see of it. A client enters itself, and removes its entry when it
 * closes; {@link LostClientDetector} removes the entries of lost ones. For all members, a client is
 * gone with its entry: they hear of that once, by an event, or by a comparison with the map. If all
 * copies of an entry are lost, the client is told so, and enters anew. Threads: safe.
 */
public final class ClientDirectory {
  public static final String CLIENTS = "hazelgrad.clients";

  private final IMap<Long, Worker> map;
  private final Consumer<Worker> goneListener;
  private final Map<Long, Worker> known = new ConcurrentHashMap<>();

  /** The clients that the listener was told of; later events and comparisons are ignored. */
  private final CallerTombstones gone = new CallerTombstones();

  private volatile List<UUID> listeners = List.of();

  /** Creates a member's view; {@code goneListener}, which must not block, hears once of each. */
  public ClientDirectory(HazelcastInstance hazelcast, Consumer<Worker> goneListener) {
    this.map = map(hazelcast);
    this.goneListener = goneListener;
  }

  /** Enters a client; the client itself does it. */
  public static void enter(HazelcastInstance hazelcast, Worker client) {
    map(hazelcast).set(client.id(), client);
  }

  /** Removes the entry of a client that closes or is lost; gives it, or null if it was gone. */
  public static CompletionStage<Worker> leave(HazelcastInstance hazelcast, Worker client) {
    return map(hazelcast).removeAsync(client.id());
  }

  /** Returns the clients that are in the grid, by id. Reads the map. */
  public static Map<Long, Worker> read(HazelcastInstance hazelcast) {
    return map(hazelcast).entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Returns whether a client is in the grid. Asks the map. */
  public static boolean isEntered(HazelcastInstance hazelcast, long client) {
    return map(hazelcast).containsKey(client);
  }

  /** As {@link #isEntered}, without waiting; fails where that throws. */
  public static CompletionStage<Boolean> findEntered(HazelcastInstance hazelcast, long client) {
    return map(hazelcast).getAsync(client).thenApply(Objects::nonNull);
  }

  private static IMap<Long, Worker> map(HazelcastInstance hazelcast) {
    return hazelcast.getMap(CLIENTS);
  }

  public void start() {
    listeners =
        List.of(
            map.addEntryListener(
                (EntryAddedListener<Long, Worker>) event -> entered(event.getValue()), true),
            map.addEntryListener(
                (EntryRemovedListener<Long, Worker>) event -> left(event.getOldValue()), true));
    reconcile();
  }

  private synchronized void entered(Worker client) {
    if (!gone.contains(client.id())) {
      known.put(client.id(), client);
    }
  }

  private void left(Worker client) {
    synchronized (this) {
      known.remove(client.id());
      if (!gone.add(client.id())) {
        return;
      }
    }
    goneListener.accept(client);
  }

  public Collection<Worker> all() {
    return List.copyOf(known.values());
  }

  /**
   * Compares what is known with the map: an event may have been lost. A removal too, if its member
   * dies before a frozen one has repeated it; the entry is then removed once more. Reads the map.
   */
  public void reconcile() {
    Collection<Worker> before = all(); // First, since a client that enters meanwhile has not left.
    Set<Map.Entry<Long, Worker>> entries = map.entrySet();
    for (Map.Entry<Long, Worker> entry : entries) {
      if (gone.contains(entry.getKey())) {
        var unused = map.removeAsync(entry.getKey());
      } else {
        entered(entry.getValue());
      }
    }
    Set<Long> present = entries.stream().map(Map.Entry::getKey).collect(Collectors.toSet());
    before.stream().filter(client -> !present.contains(client.id())).forEach(this::left);
  }

  /** Returns the failure of what a client does after it was declared lost. */
  public static GridException fenced(Worker client) {
    return new GridException(
        Status.FENCED,
        ("client %s (id %s) was lost to the grid: for the whole clientGrace no member had a"
                + " connection of it. What it held has been let go; it goes on as another"
                + " incarnation, so get what calls and references need anew from the same client")
            .formatted(client.name(), client.id()));
  }

  public void close() {
    listeners.forEach(map::removeEntryListener);
  }
}
