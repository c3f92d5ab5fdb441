package io.hazelgrad.grid.spi;

/**
 * The purpose of a request, as a name that people type, such as {@code call.function} or {@code
 * call.service:rref.fetch}. Fault rules, counters and the profiler tell messages apart by it. A
 * reply is of its request's kind.
 */
public record MessageKind(String name) {
  /** A call of an operator of the catalogue. */
  public static final MessageKind OPERATOR = new MessageKind("call.operator");

  /** A call of a method or constructor. */
  public static final MessageKind FUNCTION = new MessageKind("call.function");

  /** A call of a deployed graph. */
  public static final MessageKind GRAPH = new MessageKind("call.graph");

  private static final String SERVICE = "call.service:";
  private static final String GROUP = SERVICE + "group.";
  private static final MessageKind OPERATOR_CREATION = new MessageKind("remote.operator");
  private static final MessageKind FUNCTION_CREATION = new MessageKind("remote.function");
  private static final MessageKind GRAPH_CREATION = new MessageKind("remote.graph");

  /** Returns the kind of the calls of a service that an extension offers under a name. */
  public static MessageKind service(String handler) {
    return new MessageKind(SERVICE + handler);
  }

  /** Returns the kind of such calls whose result stays with the callee: {@code remote.function}. */
  public MessageKind creation() {
    if (equals(FUNCTION)) {
      return FUNCTION_CREATION;
    }
    if (equals(OPERATOR)) {
      return OPERATOR_CREATION;
    }
    return equals(GRAPH) ? GRAPH_CREATION : this;
  }

  /** Returns whether it is a call of a service of an extension. */
  public boolean isService() {
    return name.startsWith(SERVICE);
  }

  /** Returns whether it is a call by which workers meet and leave. */
  public boolean isGroup() {
    return name.startsWith(GROUP);
  }

  @Override
  public String toString() {
    return name;
  }
}
