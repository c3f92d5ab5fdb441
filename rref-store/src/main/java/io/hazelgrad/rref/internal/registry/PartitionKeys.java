package io.hazelgrad.rref.internal.registry;

import com.hazelcast.cluster.Member;
import com.hazelcast.partition.Partition;
import com.hazelcast.partition.PartitionService;
import io.hazelgrad.grid.Worker;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Chooses partition keys for new RRefs. Entries lie on partitions of their owner's member. A run of
 * them lies on the same partition, so that their commands go in batches. The next run lies on
 * another one, so that entries spread evenly. This only saves time: the protocol is correct
 * wherever an entry lies. Threads: safe.
 */
final class PartitionKeys {
  /** As many RRefs as fit in one batch. */
  private static final int RUN = CommandBatches.MOST;

  private final PartitionService partitions;
  private final int[] keyOfPartition;

  /** By the owner's id. */
  private final Map<Long, Run> runs = new ConcurrentHashMap<>();

  PartitionKeys(PartitionService partitions) {
    this.partitions = partitions;
    this.keyOfPartition = keys(partitions);
  }

  /** Finds for each partition a number that hashes to it. */
  private static int[] keys(PartitionService partitions) {
    int[] keys = new int[partitions.getPartitions().size()];
    Arrays.fill(keys, -1);
    int found = 0;
    for (int key = 0; found < keys.length; key++) {
      int partition = partitions.getPartition(key).getPartitionId();
      if (keys[partition] < 0) {
        keys[partition] = key;
        found++;
      }
    }
    return keys;
  }

  /** Returns a key of one of the partitions that the owner's member holds, or any if none. */
  int near(Worker owner) {
    return runs.computeIfAbsent(owner.id(), id -> new Run()).next(owner.incarnation());
  }

  /** Forgets an owner that is lost. */
  void forget(Worker owner) {
    runs.remove(owner.id());
  }

  /** Returns whether a member holds a partition, as far as this member knows now. */
  static boolean isHeldBy(Partition partition, UUID member) {
    Member holder = partition.getOwner();
    return holder != null && holder.getUuid().equals(member);
  }

  /** The partition of the next few RRefs of one owner. */
  private final class Run {
    private int partition = -1;
    private int left;

    synchronized int next(UUID member) {
      if (left == 0) {
        partition = nextPartition(member);
        left = RUN;
      }
      left--;
      return keyOfPartition[partition];
    }

    /**
     * Finds the next partition of a member, in turn. The first one is random: several creators that
     * all began with the member's first partition would load the same one.
     */
    private int nextPartition(UUID member) {
      int[] own =
          partitions.getPartitions().stream()
              .filter(each -> isHeldBy(each, member))
              .mapToInt(Partition::getPartitionId)
              .sorted()
              .toArray();
      if (own.length == 0) {
        own = IntStream.range(0, keyOfPartition.length).toArray();
      }
      if (partition < 0) {
        return own[ThreadLocalRandom.current().nextInt(own.length)];
      }
      int place = Arrays.binarySearch(own, partition + 1);
      return own[(place < 0 ? -place - 1 : place) % own.length];
    }
  }
}
