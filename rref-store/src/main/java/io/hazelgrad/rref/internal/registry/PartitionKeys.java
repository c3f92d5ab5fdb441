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
 * Chooses where the entries of new RRefs lie: on partitions of their owner's member, a run of them
 * on the same one, so that their commands go in groups; then the next run on another, so that no
 * partition has many more than others. Only a hint to save time. Threads: safe.
 */
final class PartitionKeys {
  /** As many as fit in one group. */
  private static final int RUN = CommandBatches.MOST;

  private final PartitionService partitions;
  private final int[] keyOfPartition;

  /** By owner. */
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

  /** Returns a key of a partition that the owner's member holds, of any if it holds none. */
  int near(Worker owner) {
    return runs.computeIfAbsent(owner.id(), id -> new Run()).next(owner.incarnation());
  }

  /** Forgets an owner that is lost. */
  void forget(Worker owner) {
    runs.remove(owner.id());
  }

  /** Returns whether a member holds a partition, as far as is known here now. */
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
        partition = another(member);
        left = RUN;
      }
      left--;
      return keyOfPartition[partition];
    }

    /**
     * Finds the next partition of a member, going round. The first is any of them: members hold
     * rows of partitions, and all who begin with the first of the row would meet there.
     */
    private int another(UUID member) {
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
