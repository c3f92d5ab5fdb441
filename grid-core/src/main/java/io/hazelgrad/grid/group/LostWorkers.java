package io.hazelgrad.grid.group;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.GridProvider;
import io.hazelgrad.grid.spi.ClientConnection;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The workers that a grid misses for its quorum, and the operator's statement that their processes
 * have ended. After the loss of a majority the living workers are suspended. They resume when every
 * lost worker is back, is replaced at its address, or is stated to have ended. Threads: safe.
 */
public interface LostWorkers {
  /**
   * One lost worker.
   *
   * @param voter the id of its process, which no other process has
   * @param address its address for members when it was seen last
   */
  record Lost(String name, UUID voter, String address) {
    /** Returns the name and the address. */
    @Override
    public String toString() {
      return name + " (" + address + ")";
    }
  }

  /** Makes the access to the lost workers of a grid. */
  interface Factory {
    /** Returns the access of {@link LostWorkers#of}. */
    LostWorkers of(HazelcastInstance member);

    /** Returns the access of {@link LostWorkers#over}. */
    LostWorkers over(HazelcastInstance client, ClientConfig config);
  }

  /** Returns the lost workers as a member of the grid knows them. */
  static LostWorkers of(HazelcastInstance member) {
    return factory().of(member);
  }

  /**
   * Returns the lost workers as the members know them to which a Hazelcast client is connected. It
   * need not have entered the grid: a grid without quorum lets no client in.
   *
   * @param config the client's configuration, prepared by {@link ClientConnection#prepare} before
   *     its start, with the property {@code hazelgrad.secret.file} if the grid has a secret
   */
  static LostWorkers over(HazelcastInstance client, ClientConfig config) {
    return factory().over(client, config);
  }

  private static Factory factory() {
    return GridProvider.load(Factory.class, "LostWorkers.Factory");
  }

  /** Returns the command line that states that lost workers have ended. */
  static String command(List<Lost> lost) {
    return "hazelgrad force-leave "
        + lost.stream().map(Lost::name).collect(Collectors.joining(","))
        + " --join HOST:PORT (the client port of a living worker)";
  }

  /** Returns the workers that are missed; none if the quorum is off or every worker is there. */
  List<Lost> find();

  /**
   * States that the processes of lost workers have ended. If one of them lives behind a cut, both
   * sides may go on, and the changes of one side are dropped when they meet.
   *
   * @return the workers that are still missed
   * @throws GridException BAD_ARGUMENT if a name is not that of a lost worker; UNAUTHORIZED if the
   *     members ask for another secret
   */
  List<Lost> forceLeave(Collection<String> names);
}
