package io.hazelgrad.grid.spi;

import com.hazelcast.core.HazelcastInstance;

/**
 * The proofs that a message comes from a process that has the grid's secret. A proof belongs to the
 * bytes of one message and to one purpose. Threads: safe.
 */
public interface Proofs {
  /** The key of a member's proofs in the user context of its Hazelcast instance. */
  String KEY = "io.hazelgrad.proofs";

  /** The number of bytes of a proof. */
  int BYTES = 16;

  /** The messages that carry proofs. A proof for one purpose is none for another. */
  enum Purpose {
    /** The request of a call. */
    CALL(1),
    /** The reply of a call. */
    REPLY(2),
    /** A request on a stream for tensors. */
    STREAM(3),
    /** A batch of commands to the registry. */
    COMMANDS(4),
    /** The changes that a backup of the registry repeats. */
    BACKUP(5),
    /** The question of a worker or client that is about to enter the directory. */
    ENTRY(6),
    /** The answer to that question. */
    WELCOME(7),
    /** The statement that the processes of lost workers have ended. */
    FORCE_LEAVE(8),
    /** The question what a worker waits for. */
    WAITS(9);

    private final int code;

    Purpose(int code) {
      this.code = code;
    }

    /** Returns its number, which is part of the proof. */
    public int code() {
      return code;
    }
  }

  /** The proofs of a grid without a secret: empty, and everything is accepted. */
  Proofs NONE =
      new Proofs() {
        private static final byte[] EMPTY = {};

        @Override
        public boolean areNeeded() {
          return false;
        }

        @Override
        public byte[] of(Purpose purpose, byte[]... parts) {
          return EMPTY;
        }

        @Override
        public boolean accept(byte[] proof, Purpose purpose, byte[]... parts) {
          return true;
        }
      };

  /** Returns the proofs of a prepared member, {@link #NONE} if it has no secret. */
  static Proofs of(HazelcastInstance member) {
    return member.getUserContext().get(KEY) instanceof Proofs proofs ? proofs : NONE;
  }

  /** Returns whether the grid has a secret. */
  boolean areNeeded();

  /** Returns the proof for a message, empty without a secret. */
  byte[] of(Purpose purpose, byte[]... parts);

  /** Returns whether a proof is the one for a message. Without a secret it always is. */
  boolean accept(byte[] proof, Purpose purpose, byte[]... parts);
}
