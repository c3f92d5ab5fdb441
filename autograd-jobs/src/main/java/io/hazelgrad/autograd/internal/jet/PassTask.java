package io.hazelgrad.autograd.internal.jet;

import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The task of one member in the job.
 *
 * @param member the member; another one may have taken over its address
 * @param ordinals for each recv node of the spec's part, the number of the edge out of the
 *     preceding wave that leads to the member that takes the gradients
 */
record PassTask(UUID member, PassSpec spec, List<Integer> ordinals) {
  /** The bytes for no task: the wave is not the first, or the member takes no part. */
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
