package io.hazelgrad.autograd.internal.jet;

import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What one member gets with the job.
 *
 * @param member the member it is meant for; another one may have taken over its address
 * @param spec what the participant is told
 * @param ordinals for each recv of the spec's part, the number of the edge out of the wave before
 *     that leads to the member of the worker that takes the gradients
 */
record PassTask(UUID member, PassSpec spec, List<Integer> ordinals) {
  /** No task: the wave is not the first one, or the member takes no part. */
  static final byte[] NONE = {};

  byte[] toBytes() {
    WireOutput out = new WireOutput();
    out.uuid(member);
    spec.write(out);
    ordinals.forEach(out::varint);
    return out.toBytes();
  }

  static PassTask fromBytes(byte[] bytes) {
    WireInput in = new WireInput(bytes);
    UUID member = in.uuid();
    PassSpec spec = PassSpec.read(in);
    List<Integer> ordinals = new ArrayList<>();
    for (int left = spec.part().recvs().size(); left > 0; left--) {
      ordinals.add((int) in.varint());
    }
    in.end();
    return new PassTask(member, spec, ordinals);
  }
}
