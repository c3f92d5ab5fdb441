package io.hazelgrad.grid.fault;

import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.FaultPolicy.MessageFault;
import io.hazelgrad.grid.spi.GridContext;
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
 * Injects faults into the messages that a worker or client sends: failures, delays, duplicates and
 * losses. Threads: safe.
 *
 * <pre>{@code
 * Faults faults = Faults.of(grid);
 * faults.on("call.function").to("w1").first(3).fail();
 * faults.on("rref.claim").delay(Duration.ofMillis(200));
 * ...
 * faults.clear();
 * }</pre>
 *
 * <p>Rules are tried in the order of their creation; the first one that applies decides. Without
 * rules this has no cost.
 */
public final class Faults {
  private final GridContext context;
  private final List<FaultRule> rules = new CopyOnWriteArrayList<>();

  Faults(GridContext context) {
    this.context = context;
  }

  /** Returns the fault injection of a worker or client. */
  public static Faults of(GridAccess grid) {
    return grid.service(Faults.class);
  }

  /** Begins a rule for messages of one of the {@link #kinds}; throws BAD_ARGUMENT for others. */
  public FaultPlan on(String kind) {
    if (!kinds().contains(kind)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "there is no kind of message \"" + kind + "\"; the kinds are " + kinds());
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

  /** Returns the names of all kinds of messages that are sent here. */
  public SortedSet<String> kinds() {
    return context.kinds().stream()
        .map(MessageKind::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the rules in the order in which they are tried. */
  public List<FaultRule> rules() {
    return List.copyOf(rules);
  }

  /** Returns the number of faults since the last {@link #clear}, by kind of message. */
  public Map<String, Long> injected() {
    Map<String, Long> counts = new TreeMap<>();
    rules.forEach(rule -> rule.countsByKind().forEach((k, n) -> counts.merge(k, n, Long::sum)));
    return counts;
  }

  /** Removes all rules. Delayed messages are still sent at their time. */
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
    context.disturb(rules.isEmpty() ? null : this::inject);
  }

  private @Nullable MessageFault inject(MessageKind kind, @Nullable Worker to, int attempt) {
    for (FaultRule rule : rules) {
      MessageFault found = rule.match(kind, to, attempt);
      if (found != null) {
        return found;
      }
    }
    return null;
  }
}
