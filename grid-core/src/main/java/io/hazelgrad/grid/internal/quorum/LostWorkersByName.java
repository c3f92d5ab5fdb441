package io.hazelgrad.grid.internal.quorum;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.group.LostWorkers;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The implementation of {@link LostWorkers}, which finds processes by the names of their workers.
 *
 * @param quorum takes the ids of voters that have ended, perhaps none, and returns the workers that
 *     are still lost
 */
public record LostWorkersByName(Function<Collection<UUID>, List<Lost>> quorum)
    implements LostWorkers {
  @Override
  public List<Lost> find() {
    return quorum.apply(List.of());
  }

  @Override
  public List<Lost> forceLeave(Collection<String> names) {
    List<Lost> lost = find();
    Set<String> unknown = new TreeSet<>(names);
    lost.forEach(it -> unknown.remove(it.name()));
    if (!unknown.isEmpty()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "%s is not lost: the grid misses %s"
              .formatted(String.join(",", unknown), lost.isEmpty() ? "no worker" : lost));
    }
    return quorum.apply(
        lost.stream()
            .filter(it -> names.contains(it.name()))
            .map(Lost::voter)
            .collect(Collectors.toSet()));
  }
}
