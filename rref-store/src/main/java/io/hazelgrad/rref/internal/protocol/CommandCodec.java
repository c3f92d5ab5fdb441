package io.hazelgrad.rref.internal.protocol;

import com.hazelcast.nio.ObjectDataInput;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** The wire form of commands: one byte for the kind, then the fields in order. */
public final class CommandCodec {
  private static final int CREATE = 1;
  private static final int RESOLVE = 2;
  private static final int CLAIM = 3;
  private static final int RESTORE = 4;
  private static final int RELEASE = 5;
  private static final int HOLDER_LOST = 6;
  private static final int OWNER_LOST = 7;
  private static final int ADOPT = 8;
  private static final int VALUE_LOST = 9;
  private static final int KEEP = 10;

  private CommandCodec() {}

  public static void write(Command command, DataOutput out) throws IOException {
    if (command instanceof Command.Create create) {
      out.writeByte(CREATE);
      out.writeLong(create.owner());
      create.fork().write(out);
      out.writeLong(create.holder());
    } else if (command instanceof Command.Resolve resolve) {
      out.writeByte(RESOLVE);
      out.writeLong(resolve.owner());
      out.writeByte(resolve.outcome().toCode());
      String type = resolve.type();
      out.writeBoolean(type != null);
      if (type != null) {
        out.writeUTF(type);
      }
      out.writeInt(resolve.epoch());
      ForkId fork = resolve.fork();
      out.writeBoolean(fork != null);
      if (fork != null) {
        fork.write(out);
        out.writeLong(resolve.holder());
      }
    } else if (command instanceof Command.Claim claim) {
      out.writeByte(CLAIM);
      claim.parent().write(out);
      claim.child().write(out);
      out.writeLong(claim.holder());
      out.writeLong(claim.owner());
    } else if (command instanceof Command.Restore restore) {
      out.writeByte(RESTORE);
      restore.fork().write(out);
      out.writeLong(restore.holder());
      out.writeLong(restore.owner());
    } else if (command instanceof Command.Keep keep) {
      out.writeByte(KEEP);
      keep.fork().write(out);
      out.writeLong(keep.owner());
    } else if (command instanceof Command.Release release) {
      out.writeByte(RELEASE);
      release.fork().write(out);
    } else if (command instanceof Command.HolderLost lost) {
      out.writeByte(HOLDER_LOST);
      out.writeLong(lost.incarnation());
    } else if (command instanceof Command.OwnerLost lost) {
      out.writeByte(OWNER_LOST);
      out.writeLong(lost.incarnation());
    } else if (command instanceof Command.Adopt adopt) {
      out.writeByte(ADOPT);
      out.writeInt(adopt.epoch());
      out.writeLong(adopt.owner());
    } else if (command instanceof Command.ValueLost lost) {
      out.writeByte(VALUE_LOST);
      out.writeInt(lost.epoch());
    }
  }

  public static Command read(ObjectDataInput in) throws IOException {
    byte kind = in.readByte();
    return switch (kind) {
      case CREATE -> new Command.Create(in.readLong(), ForkId.read(in), in.readLong());
      case RESOLVE -> readResolve(in);
      case CLAIM ->
          new Command.Claim(ForkId.read(in), ForkId.read(in), in.readLong(), in.readLong());
      case RESTORE -> new Command.Restore(ForkId.read(in), in.readLong(), in.readLong());
      case KEEP -> new Command.Keep(ForkId.read(in), in.readLong());
      case RELEASE -> new Command.Release(ForkId.read(in));
      case HOLDER_LOST -> new Command.HolderLost(in.readLong());
      case OWNER_LOST -> new Command.OwnerLost(in.readLong());
      case ADOPT -> new Command.Adopt(in.readInt(), in.readLong());
      case VALUE_LOST -> new Command.ValueLost(in.readInt());
      default -> throw new IOException("Unknown kind of registry command: " + kind);
    };
  }

  private static Command.Resolve readResolve(ObjectDataInput in) throws IOException {
    long owner = in.readLong();
    RRefState outcome = RRefState.fromCode(in.readByte());
    String type = in.readBoolean() ? ((DataInput) in).readUTF() : null;
    int epoch = in.readInt();
    ForkId fork = in.readBoolean() ? ForkId.read(in) : null;
    return new Command.Resolve(owner, outcome, type, fork, fork == null ? 0 : in.readLong(), epoch);
  }
}
