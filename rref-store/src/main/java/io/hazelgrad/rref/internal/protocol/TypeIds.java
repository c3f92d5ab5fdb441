package io.hazelgrad.rref.internal.protocol;

/** The ids by which Hazelcast finds the classes of this module that it reads from the wire. */
public final class TypeIds {
  public static final int FACTORY = 7002;
  public static final int RREF_ID = 1;
  public static final int ENTRY = 2;
  public static final int REGISTRY_QUERY = 4;
  public static final int COMMAND_PROCESSOR = 5;
  public static final int STORED_VALUE = 7;
  public static final int VALUE_PROCESSOR = 8;

  private TypeIds() {}
}
