package io.hazelgrad.autograd.jet;

import io.hazelgrad.autograd.plan.Decisions;
import io.hazelgrad.autograd.plan.Part;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;

/**
 * What a member is told of a pass before the first gradient comes.
 *
 * @param pass the attempt
 * @param contextOriginator the worker that opened the autograd context
 * @param contextSequence the originator's count of contexts
 * @param retainGraph whether the graph stays usable after the pass
 * @param decisions what the initiator has decided about its earlier passes
 * @param waves the number of waves, 0 if no gradient leaves the initiator
 * @param part what the member's worker does in the pass
 */
public record PassSpec(
    PassId pass,
    long contextOriginator,
    long contextSequence,
    boolean retainGraph,
    Decisions decisions,
    int waves,
    Part part) {
  /** Reads what {@link #write} wrote. */
  static PassSpec read(WireInput in) {
    return new PassSpec(
        PassId.read(in),
        in.varint(),
        in.varint(),
        in.bool(),
        Decisions.read(in),
        in.int32(),
        Part.read(in));
  }

  /** Writes all parts. */
  void write(WireOutput out) {
    pass.write(out);
    out.varint(contextOriginator).varint(contextSequence).bool(retainGraph);
    decisions.write(out);
    out.int32(waves);
    part.write(out);
  }
}
