package io.hazelgrad.rref.internal.registry;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.RRefState;

/**
 * The wire form of a client's commands to a worker. A client may send only commands about its own
 * handles. The holder is not part of the bytes: the worker takes it from the sender of the call.
 */
final class ClientCommandCodec {
  private static final int RELEASE = 1;
  private static final int RESTORE = 2;
  private static final int RESOLVE = 3;

  /** A command and the RRef that it is for. */
  record Decoded(RRefId id, Command command) {}

  private ClientCommandCodec() {}

  static byte[] write(RRefId id, Command command) {
    WireOutput out = new WireOutput(48);
    WireIds.write(id, out);
    if (command instanceof Command.Release release) {
      WireIds.write(release.fork(), out.int8(RELEASE));
    } else if (command instanceof Command.Restore restore) {
      WireIds.write(restore.fork(), out.int8(RESTORE));
      out.varint(restore.owner());
    } else if (command instanceof Command.Resolve resolve && resolve.fork() != null) {
      WireIds.write(resolve.fork(), out.int8(RESOLVE));
      out.varint(resolve.owner()).int8(resolve.outcome().toCode());
    } else {
      throw new IllegalArgumentException("a client cannot send " + command);
    }
    return out.toBytes();
  }

  /**
   * Reads a command of a client.
   *
   * @throws GridException BAD_VALUE if {@link #write} did not write the bytes
   */
  static Decoded read(byte[] bytes, long client) {
    WireInput in = new WireInput(bytes);
    RRefId id = WireIds.readRRefId(in);
    int kind = in.int8();
    ForkId fork = WireIds.readForkId(in);
    Command command =
        switch (kind) {
          case RELEASE -> new Command.Release(fork);
          case RESTORE -> new Command.Restore(fork, client, in.varint());
          case RESOLVE -> new Command.Resolve(in.varint(), outcome(in), null, fork, client);
          default -> throw in.damaged("a client cannot send a command of kind " + kind);
        };
    in.end();
    return new Decoded(id, command);
  }

  /** A client reports only that it gave up, or that its call failed. */
  private static RRefState outcome(WireInput in) {
    int code = in.int8();
    if (code == RRefState.FAILED.toCode()) {
      return RRefState.FAILED;
    }
    if (code == RRefState.TIMED_OUT.toCode()) {
      return RRefState.TIMED_OUT;
    }
    throw new GridException(
        Status.BAD_VALUE, "a client cannot end a creation with state code " + code);
  }
}
