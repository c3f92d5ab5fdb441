package io.hazelgrad.grid.internal.quorum;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.group.LostWorkers.Lost;
import io.hazelgrad.grid.spi.LimitedMap;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The names and addresses of the voters that were seen last, including lost ones. It finds out
 * which lost ones a newcomer replaces: two processes cannot listen at one address, and if the
 * operator promises it, no two processes of one name run at once. Threads: safe.
 */
final class VoterDirectory {
  private static final String VOTER_ATTRIBUTE = "hazelgrad.voter";
  private static final String NAME_ATTRIBUTE = "hazelgrad.name";
  private static final int MOST = 1_000;

  /** The name and address of a voter when it was seen last. */
  private record Sighting(String name, Address address) {}

  private final boolean uniqueNames;

  /** Guarded by itself. */
  private final Map<UUID, Sighting> sightings = new LimitedMap<>(MOST);

  VoterDirectory(boolean uniqueNames) {
    this.uniqueNames = uniqueNames;
  }

  /** Returns the attributes by which other members know a voter. */
  static Map<String, String> attributes(UUID voter, String name) {
    return Map.of(VOTER_ATTRIBUTE, voter.toString(), NAME_ATTRIBUTE, name);
  }

  /** Returns the voter id of a member, or null if it has no vote. */
  static @Nullable UUID voter(Member member) {
    String voter = member.getAttribute(VOTER_ATTRIBUTE);
    return voter == null ? null : UUID.fromString(voter);
  }

  boolean promisesUniqueNames() {
    return uniqueNames;
  }

  /** Learns the members with a vote, and returns the earlier voters that newcomers replace. */
  Set<UUID> see(Collection<Member> members) {
    Set<UUID> replaced = new HashSet<>();
    synchronized (sightings) {
      for (Member member : members) {
        UUID id = Objects.requireNonNull(voter(member));
        String name = Objects.requireNonNullElse(member.getAttribute(NAME_ATTRIBUTE), "");
        Sighting sighting = new Sighting(name, member.getAddress());
        if (!sighting.equals(sightings.put(id, sighting))) {
          sightings.forEach(
              (other, known) -> {
                if (!other.equals(id) && replaces(sighting, known)) {
                  replaced.add(other);
                }
              });
        }
      }
      // A second process of a living worker's name breaks the promise, and proves nothing.
      members.forEach(member -> replaced.remove(voter(member)));
      sightings.keySet().removeAll(replaced);
    }
    return replaced;
  }

  private boolean replaces(Sighting fresh, Sighting known) {
    return known.address().equals(fresh.address())
        || (uniqueNames && !known.name().isEmpty() && known.name().equals(fresh.name()));
  }

  @Nullable Address address(UUID voter) {
    synchronized (sightings) {
      Sighting sighting = sightings.get(voter);
      return sighting == null ? null : sighting.address();
    }
  }

  /** Returns what is known of voters; those that nobody here has seen are left out. */
  List<Lost> describe(List<UUID> voters) {
    synchronized (sightings) {
      return voters.stream()
          .filter(sightings::containsKey)
          .map(voter -> lost(voter, Objects.requireNonNull(sightings.get(voter))))
          .toList();
    }
  }

  private static Lost lost(UUID voter, Sighting sighting) {
    Address address = sighting.address();
    return new Lost(sighting.name(), voter, address.getHost() + ":" + address.getPort());
  }

  /** Returns the addresses of voters that were seen once and are not in a view. */
  List<Address> unseen(List<UUID> view) {
    synchronized (sightings) {
      return sightings.entrySet().stream()
          .filter(known -> !view.contains(known.getKey()))
          .map(known -> known.getValue().address())
          .distinct()
          .toList();
    }
  }

  /** Returns whether a voter that was seen once has this address. */
  boolean knows(Address address) {
    synchronized (sightings) {
      return sightings.values().stream().anyMatch(sighting -> sighting.address().equals(address));
    }
  }
}
