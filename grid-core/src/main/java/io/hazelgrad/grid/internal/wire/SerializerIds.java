package io.hazelgrad.grid.internal.wire;

/**
 * The numbers of the grid's classes in Hazelcast's serialization. They are part of the protocol.
 */
public final class SerializerIds {
  public static final int FACTORY = 7001;
  public static final int CALL = 1;
  public static final int REPLY = 2;
  public static final int CALL_TASK = 3;
  public static final int REPLY_TASK = 4;
  public static final int REPLY_BATCH = 5;
  public static final int POLL_TASK = 6;
  public static final int CONNECTED_CLIENTS_TASK = 7;
  public static final int ENTRY_TASK = 8;
  public static final int LOST_WORKERS_TASK = 9;
  public static final int QUORUM = 10;
  public static final int QUORUM_ANSWER = 11;
  public static final int REMOVE_LOST = 12;
  public static final int WAITS_TASK = 13;

  private SerializerIds() {}
}
