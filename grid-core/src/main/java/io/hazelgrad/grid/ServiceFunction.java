package io.hazelgrad.grid;

/** A service of an extension, answered by its {@link io.hazelgrad.grid.spi.Handler}. */
final class ServiceFunction<R> extends Function<R> {
  final String name;

  ServiceFunction(String name) {
    this.name = name;
  }

  @Override
  public String toString() {
    return "service " + name;
  }
}
