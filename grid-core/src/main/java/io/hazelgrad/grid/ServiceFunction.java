package io.hazelgrad.grid;

import io.hazelgrad.grid.spi.MessageKind;

/** A service of an extension, answered by its {@link io.hazelgrad.grid.spi.Handler}. */
final class ServiceFunction<R> extends Function<R> {
  final String name;
  private final MessageKind kind;

  ServiceFunction(String name) {
    this.name = name;
    this.kind = MessageKind.service(name);
  }

  @Override
  MessageKind kind() {
    return kind;
  }

  @Override
  public String toString() {
    return "service " + name;
  }
}
