package io.hazelgrad.grid.group;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The roles of workers, which {@link HazelgradConfig.Builder#roles} sets. They are attributes of
 * the workers' Hazelcast members and never change. Threads: safe.
 *
 * <pre>{@code
 * double score = Roles.of(grid).role("ranker").sync(Ranker::score, x);
 * }</pre>
 */
public final class Roles {
  private final GridContext context;
  private final LeaveNotice notices;
  private final Map<String, AtomicLong> turns = new ConcurrentHashMap<>();

  Roles(GridContext context, LeaveNotice notices) {
    this.context = context;
    this.notices = notices;
  }

  /** Returns the roles of a grid. */
  public static Roles of(Grid grid) {
    return grid.service(GroupServices.class).roles();
  }

  /** Returns a role, to call the workers that have it. It need not have workers now. */
  public Role role(String name) {
    AtomicLong turn = turns.computeIfAbsent(name, role -> new AtomicLong());
    return new Role(context, this, name, turn, context.callTimeout());
  }

  /** Returns the roles of a worker; empty if it is gone. */
  public Set<String> of(Worker worker) {
    return members().stream()
        .filter(member -> member.getUuid().equals(worker.incarnation()))
        .findFirst()
        .map(Roles::of)
        .orElse(Set.of());
  }

  private Set<Member> members() {
    return context.hazelcast().getCluster().getMembers();
  }

  private static Set<String> of(Member member) {
    String roles = member.getAttribute(HazelgradConfig.ROLES_ATTRIBUTE);
    return roles == null || roles.isEmpty() ? Set.of() : Set.of(roles.split(","));
  }

  /** Returns the roles of all living workers, sorted. */
  public SortedSet<String> all() {
    SortedSet<String> all = new TreeSet<>();
    for (Member member : members()) {
      if (!of(member).isEmpty() && context.directory().on(member.getUuid()) != null) {
        all.addAll(of(member));
      }
    }
    return all;
  }

  /** Returns the living workers of a role, by id, without those that are leaving. */
  List<Worker> workers(String role) {
    return LivingWorkers.on(context, member -> of(member).contains(role)).stream()
        .filter(worker -> !notices.has(LeaveNotice.Kind.ALONE, worker))
        .toList();
  }
}
