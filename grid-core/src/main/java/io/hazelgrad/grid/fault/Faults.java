package io.hazelgrad.grid.fault;

import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.MessageFault;
import io.hazelgrad.grid.spi.MessageKind;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lets messages that this worker sends go wrong: they fail, come late, twice, or not at all.
 *
 * <pre>{@code
 * Faults faults = Faults.of(grid);
 * faults.on("call.function").to("w1").first(3).fail();
 * faults.on("rref.claim").delay(Duration.ofMillis(200));
 * ...
 * faults.clear();
 * }</pre>
 *
 * <p>A message meets the rules in the order in which they were made; the first that applies
 * decides. Without a rule nothing here runs.
 *
 * <p>Threads: safe.
 */
public final class Faults {
  private final GridContext context;
  private final List<FaultRule> rules = new CopyOnWriteArrayList<>();

  Faults(GridContext context) {
    this.context = context;
  }

  /** Returns the faults of the messages that a worker sends. */
  public static Faults of(GridAccess grid) {
    return grid.service(Faults.class);
  }

  /**
   * Begins a rule for messages of one kind.
   *
   * @throws GridException BAD_ARGUMENT, with all kinds, if there is none of that name
   */
  public FaultPlan on(String kind) {
    if (!kinds().contains(kind)) {
      throw new GridException(
          Status.BAD_ARGUMENT, "no messages are of kind \"" + kind + "\"; there are " + kinds());
    }
    return new FaultPlan(this, kind);
  }

  /** Begins a rule for messages of one kind. */
  public FaultPlan on(MessageKind kind) {
    return on(kind.name());
  }

  /** Begins a rule for messages of any kind. */
  public FaultPlan onAny() {
    return new FaultPlan(this, null);
  }

  /** Returns the names of all kinds of messages that this worker can send. */
  public SortedSet<String> kinds() {
    return context.kinds().stream()
        .map(MessageKind::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the rules in the order in which messages meet them. */
  public List<FaultRule> rules() {
    return List.copyOf(rules);
  }

  /** Returns how many messages of each kind met a rule, since the rules were cleared last. */
  public Map<String, Long> injected() {
    Map<String, Long> counts = new TreeMap<>();
    for (FaultRule rule : rules) {
      rule.countsByKind().forEach((kind, count) -> counts.merge(kind, count, Long::sum));
    }
    return counts;
  }

  /** Removes all rules. What was delayed is still sent when its time comes. */
  public void clear() {
    rules.clear();
    update();
  }

  void add(FaultRule rule) {
    rules.add(rule);
    update();
  }

  void remove(FaultRule rule) {
    rules.remove(rule);
    update();
  }

  private void update() {
    context.disturb(rules.isEmpty() ? null : this::disturb);
  }

  private @Nullable MessageFault disturb(MessageKind kind, @Nullable Worker to, int attempt) {
    for (FaultRule rule : rules) {
      MessageFault found = rule.meet(kind, to, attempt);
      if (found != null) {
        return found;
      }
    }
    return null;
  }
}
