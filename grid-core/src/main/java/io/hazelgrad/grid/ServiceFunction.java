package io.hazelgrad.grid;

import io.hazelgrad.grid.spi.MessageKind;

/** A service of an extension, answered by its {@link io.hazelgrad.grid.spi.Handler}. */
public final class ServiceFunction<R> extends Function<R> {
  public final String name;
  private final MessageKind kind;

  public ServiceFunction(String name) {
    this.name = name;
    this.kind = MessageKind.service(name);
  }

  @Override
  public MessageKind kind() {
    return kind;
  }

  @Override
  public String toString() {
    return "service " + name;
  }
}
