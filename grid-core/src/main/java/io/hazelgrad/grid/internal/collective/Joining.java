package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.collective.CollectiveOptions;
import io.hazelgrad.grid.group.Group;
import io.hazelgrad.grid.group.Groups;
import io.hazelgrad.grid.internal.plane.segment.SegmentDirectory;
import io.hazelgrad.grid.internal.plane.stream.StreamLinks;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.spi.GridContext;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meeting in which the members of a collective agree on its id and find out which of them share
 * memory. It is a number of gathers, which all members make in the same order.
 *
 * <p>Two members share memory if each can read the secret in the other's file, as {@code
 * SegmentPeers} finds out for calls. The files are removed when the meeting is over: mapped memory
 * stays, and a process that is killed later leaves no file behind.
 */
final class Joining implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Joining.class);
  private static final String NO_FILES = "";
  private static final Duration CONNECT = Duration.ofSeconds(2);

  private final String name;
  private final List<String> names;
  private final int rank;
  private final CollectiveOptions options;
  private final Group group;
  private final @Nullable SegmentDirectory directory;

  private List<Worker> workers = List.of();

  /** The names of the files of each member, by rank. */
  private List<String> owners = List.of();

  Joining(GridContext context, String name, List<String> names, CollectiveOptions options) {
    this.name = name;
    this.names = names;
    this.rank = names.indexOf(context.self().name());
    this.options = options;
    this.group =
        Groups.of(context.grid())
            .named(names.toArray(String[]::new))
            .keyed("collective." + name)
            .within(options.timeout());
    this.directory = options.sharedMemory() && names.size() > 1 ? open(context) : null;
  }

  private static @Nullable SegmentDirectory open(GridContext context) {
    if (context.config().plane().sharedBytes() == 0) {
      return null;
    }
    try {
      return SegmentDirectory.open(context.config().plane().directory(), context.self().id());
    } catch (IOException e) {
      LOG.warn("a collective uses no shared memory: {}", e.toString());
      return null;
    }
  }

  /**
   * Checks that all members joined with the same arguments.
   *
   * @return the id of the collective
   */
  String agree(Worker self) {
    String arguments = "members=" + names + " " + options;
    String owner = directory == null ? NO_FILES : directory.owner;
    List<List<Object>> all =
        gather(List.<Object>of(UUID.randomUUID().toString(), arguments, owner, self));
    for (int each = 0; each < all.size(); each++) {
      if (!all.get(each).get(1).equals(arguments)) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "worker %s joined collective \"%s\" with %s, this one with %s"
                .formatted(names.get(each), name, all.get(each).get(1), arguments));
      }
    }
    owners = all.stream().map(each -> (String) each.get(2)).toList();
    workers = all.stream().map(each -> (Worker) each.get(3)).toList();
    return (String) all.get(0).get(0);
  }

  /** Finds out which members share memory. */
  HostMap hosts() {
    List<byte[]> secrets =
        owners.stream()
            .map(owner -> directory == null ? new byte[0] : directory.secretOf(owner))
            .toList();
    List<List<byte[]>> read = gather(secrets);
    List<Boolean> readers =
        read.stream()
            .map(each -> directory != null && directory.isOurSecret(each.get(rank)))
            .toList();
    List<List<Boolean>> all = gather(readers);
    return HostMap.of(
        names.size(), (one, other) -> all.get(one).get(other) && all.get(other).get(one));
  }

  /**
   * Maps the memory that the members on this host share. If a host has no room for it, no members
   * share memory: then all count as hosts of their own.
   */
  Memory memory(HostMap found) {
    List<Integer> here = found.membersOf(found.hostOf(rank));
    SegmentDirectory files = directory;
    HostMemory memory = null;
    boolean leads = here.get(0) == rank && here.size() > 1;
    if (leads && files != null) {
      memory = create(files, here.size());
    }
    boolean enough = gather(!leads || memory != null).stream().allMatch(each -> each);
    if (!enough) {
      return new Memory(HostMap.of(names.size(), (one, other) -> false), null);
    }
    if (here.size() > 1 && !leads && files != null) {
      try {
        memory = HostMemory.open(segment(files, owners.get(here.get(0))), here.size());
      } catch (IOException e) {
        throw new GridException(
            Status.BAD_CONFIG, "the memory of collective \"" + name + "\" cannot be used: " + e, e);
      }
    }
    return new Memory(found, memory);
  }

  /** The hosts, and the memory of this one; null if only one member is here. */
  record Memory(HostMap hosts, @Nullable HostMemory memory) {}

  private static @Nullable HostMemory create(SegmentDirectory files, int members) {
    try {
      return HostMemory.create(segment(files, files.owner), members);
    } catch (IOException e) {
      LOG.warn("a collective uses no shared memory: {}", e.toString());
      return null;
    }
  }

  private static Path segment(SegmentDirectory files, String owner) {
    return files.segment(owner, 0);
  }

  /**
   * Connects the leaders of the hosts in a ring. Returns null to members that are no leaders. If
   * one leader cannot be reached, all members get null.
   */
  @Nullable RingChannels connect(HostMap hosts, StreamLinks links) {
    if (hosts.count() == 1) {
      return null;
    }
    int place = hosts.leaders().indexOf(rank);
    TransferTicket ticket = TransferTicket.withNewSecret(0);
    CompletableFuture<SocketChannel> previous = links.expect(ticket);
    SocketChannel next = null;
    RingChannels channels = null;
    boolean linked = false;
    try {
      List<List<Object>> offers =
          gather(List.<Object>of(links.port(), ticket.number(), ticket.high(), ticket.low()));
      if (hosts.leaders().stream().anyMatch(each -> offers.get(each).get(0).equals(0))) {
        return null;
      }
      if (place >= 0) {
        int receiver = hosts.leaders().get((place + 1) % hosts.count());
        next = connect(links, workers.get(receiver), offers.get(receiver));
      }
      channels = next == null ? null : channels(previous, next);
      boolean ready = place < 0 || channels != null;
      linked = gather(ready).stream().allMatch(each -> each);
      return linked ? channels : null;
    } finally {
      if (!linked && channels != null) {
        channels.close();
      } else if (channels == null) {
        close(next);
        if (!previous.cancel(false)) {
          close(previous.join());
        }
      }
    }
  }

  private @Nullable SocketChannel connect(StreamLinks links, Worker to, List<Object> offer) {
    TransferTicket ticket =
        new TransferTicket((Long) offer.get(1), (Long) offer.get(2), (Long) offer.get(3));
    try {
      return links.connect(to, (Integer) offer.get(0), ticket, CONNECT);
    } catch (IOException e) {
      LOG.warn(
          "collective \"{}\" cannot connect to worker {}, its elements go in messages, which is"
              + " slower: {}",
          name,
          to.name(),
          e.toString());
      return null;
    }
  }

  private @Nullable RingChannels channels(
      CompletableFuture<SocketChannel> previous, SocketChannel next) {
    try {
      return new RingChannels(previous.get(CONNECT.toMillis(), TimeUnit.MILLISECONDS), next);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException | IOException e) {
      LOG.warn(
          "collective \"{}\" got no connection, its elements go in messages, which is slower: {}",
          name,
          e.toString());
    }
    return null;
  }

  private static void close(@Nullable SocketChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      LOG.debug("a connection could not be closed", e);
    }
  }

  /** Waits until all members can receive messages. */
  void finish() {
    group.barrier();
  }

  private <T> List<T> gather(T value) {
    var all = group.allGather(value);
    return names.stream().map(all::get).toList();
  }

  int rank() {
    return rank;
  }

  List<Worker> workers() {
    return workers;
  }

  @Override
  public void close() {
    if (directory != null) {
      directory.close();
    }
  }
}
