package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The description of a pass that a member gets before the first gradient.
 *
 * @param retainGraph whether the graph stays usable after the pass
 * @param decisions the decisions of the initiator about its earlier passes
 * @param waves the number of waves, 0 if no gradient leaves the initiator
 * @param parts the parts of those that the member acts for, by ids: its own worker and clients
 */
public record PassSpec(
    PassId pass,
    ContextId context,
    boolean retainGraph,
    PassDecisions decisions,
    int waves,
    Map<Long, PlanPart> parts) {
  public PassSpec {
    parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts));
  }

  /** Returns the parts of all these workers as one. */
  public PlanPart part() {
    return PlanPart.of(parts.values());
  }

  /** Returns this description with other parts. */
  public PassSpec with(Map<Long, PlanPart> others) {
    return new PassSpec(pass, context, retainGraph, decisions, waves, others);
  }

  /** Returns the description for one of these workers. */
  public PassSpec of(long worker) {
    return with(Map.of(worker, Objects.requireNonNull(parts.get(worker))));
  }

  public static PassSpec read(WireInput in) {
    PassId pass = PassId.read(in);
    ContextId context = new ContextId(in.varint(), in.varint());
    boolean retainGraph = in.bool();
    PassDecisions decisions = PassDecisions.read(in);
    int waves = in.int32();
    Map<Long, PlanPart> parts = new LinkedHashMap<>();
    for (int count = in.count(3); count > 0; count--) {
      parts.put(in.varint(), PlanPart.read(in));
    }
    return new PassSpec(pass, context, retainGraph, decisions, waves, parts);
  }

  public void write(WireOutput out) {
    pass.write(out);
    out.varint(context.originator()).varint(context.sequence()).bool(retainGraph);
    decisions.write(out);
    out.int32(waves).varint(parts.size());
    parts.forEach(
        (worker, part) -> {
          out.varint(worker);
          part.write(out);
        });
  }
}
