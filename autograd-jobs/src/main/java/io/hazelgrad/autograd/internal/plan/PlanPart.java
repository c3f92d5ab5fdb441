package io.hazelgrad.autograd.internal.plan;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** The part of one worker in a pass, in plan order: send nodes take gradients, recv nodes emit. */
public record PlanPart(List<Send> sends, List<Recv> recvs) {
  /** A send node, the wave in which its gradients arrive, and its place in the plan. */
  public record Send(MessageId id, int wave, int order) {}

  /** A recv node, and the wave in which its gradients leave. */
  public record Recv(MessageId id, int wave) {}

  public PlanPart {
    sends = List.copyOf(sends);
    recvs = List.copyOf(recvs);
  }

  /** Returns the parts of several workers as one part, in the given order. */
  public static PlanPart of(Collection<PlanPart> parts) {
    if (parts.size() == 1) {
      return parts.iterator().next();
    }
    return new PlanPart(
        parts.stream().flatMap(part -> part.sends.stream()).toList(),
        parts.stream().flatMap(part -> part.recvs.stream()).toList());
  }

  public void write(WireOutput out) {
    out.varint(sends.size());
    for (Send each : sends) {
      each.id.write(out);
      out.varint(each.wave).varint(each.order);
    }
    out.varint(recvs.size());
    for (Recv each : recvs) {
      each.id.write(out);
      out.varint(each.wave);
    }
  }

  public static PlanPart read(WireInput in) {
    List<Send> sends = new ArrayList<>();
    for (int count = in.count(4); count > 0; count--) {
      sends.add(new Send(MessageId.read(in), number(in), number(in)));
    }
    List<Recv> recvs =
        Stream.generate(() -> new Recv(MessageId.read(in), number(in))).limit(in.count(3)).toList();
    return new PlanPart(sends, recvs);
  }

  private static int number(WireInput in) {
    long value = in.varint();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw in.damaged("number=" + value);
    }
    return (int) value;
  }
}
