package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import io.hazelgrad.rref.Command.Release;
import io.hazelgrad.rref.Command.Resolve;
import io.hazelgrad.rref.Command.Restore;

/**
 * The commands of a client in the bytes in which it gives them to a worker. There are only those
 * that concern handles of its own; the holder is not among the bytes: it is whoever sends them.
 */
final class ClientCommands {
  private static final int RELEASE = 1;
  private static final int RESTORE = 2;
  private static final int RESOLVE = 3;

  /** A command and the RRef that it is for. */
  record Said(RRefId id, Command command) {}

  private ClientCommands() {}

  static byte[] write(RRefId id, Command command) {
    WireOutput out = new WireOutput(48);
    Ids.write(id, out);
    if (command instanceof Release release) {
      Ids.write(release.fork(), out.int8(RELEASE));
    } else if (command instanceof Restore restore) {
      Ids.write(restore.fork(), out.int8(RESTORE));
      out.varint(restore.owner());
    } else if (command instanceof Resolve resolve && resolve.fork() != null) {
      Ids.write(resolve.fork(), out.int8(RESOLVE));
      out.varint(resolve.owner()).int8(resolve.outcome().toCode());
    } else {
      throw new IllegalArgumentException("a client does not say " + command);
    }
    return out.toBytes();
  }

  /**
   * Reads what a client says.
   *
   * @throws GridException BAD_VALUE if that is not what {@link #write} wrote
   */
  static Said read(byte[] bytes, long client) {
    WireInput in = new WireInput(bytes);
    RRefId id = Ids.readRRefId(in);
    int kind = in.int8();
    ForkId fork = Ids.readForkId(in);
    Command command =
        switch (kind) {
          case RELEASE -> new Release(fork);
          case RESTORE -> new Restore(fork, client, in.varint());
          case RESOLVE -> new Resolve(in.varint(), outcome(in), null, fork, client);
          default -> throw in.damaged("no command of a client: " + kind);
        };
    in.end();
    return new Said(id, command);
  }

  /** A client says only that it gave up, or that its call failed. */
  private static State outcome(WireInput in) {
    int code = in.int8();
    if (code == State.FAILED.toCode()) {
      return State.FAILED;
    }
    if (code == State.TIMED_OUT.toCode()) {
      return State.TIMED_OUT;
    }
    throw new GridException(Status.BAD_VALUE, "a client's call does not end as " + code);
  }
}
