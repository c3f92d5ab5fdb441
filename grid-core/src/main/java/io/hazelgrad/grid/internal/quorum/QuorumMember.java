package io.hazelgrad.grid.internal.quorum;

import com.hazelcast.cluster.Address;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.internal.quorum.Quorum.Report;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The Hazelcast member of a voter, with the inner parts of Hazelcast. Threads: safe. */
public interface QuorumMember {
  HazelcastInstance hazelcast();

  /** Returns whether the member is in a cluster. */
  boolean isJoined();

  /** Makes Hazelcast ask the split-brain protections for their decisions now. */
  void nudge();

  /** Returns whether there is a connection to a member; otherwise it is being made. */
  boolean isConnected(Address other);

  /** Sends a report to a member, also one outside of this cluster, and returns its report. */
  CompletableFuture<Report> send(Address other, Report report, boolean leaving);

  /** Tells a listener the address of each process that connects to this member as a member. */
  void onConnection(Consumer<Address> listener);

  /**
   * Excludes an address from Hazelcast's own healing: this cluster does not merge into one that is
   * found there. This lasts until a member from there has joined. Repeated calls have no effect.
   */
  void excludeFromHealing(Address lost);

  /** Enters the cluster of another member. This one gets another UUID, and its data is dropped. */
  void merge(Address into);
}
