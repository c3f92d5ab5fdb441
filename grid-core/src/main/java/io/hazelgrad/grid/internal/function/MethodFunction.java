package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A method or constructor, as class name, method name ({@code "new"} for a constructor) and JVM
 * descriptor.
 */
public final class MethodFunction<R> implements RemoteFunction<R> {
  public static final String CONSTRUCTOR = "new";

  public final String type;
  public final String method;
  public final String descriptor;

  /** The text for people, made at its first use. */
  private @Nullable String text;

  public MethodFunction(String type, String method, String descriptor) {
    this.type = type;
    this.method = method;
    this.descriptor = descriptor;
  }

  @Override
  public MessageKind kind() {
    return MessageKind.FUNCTION;
  }

  @Override
  public void write(WireOutput out) {
    out.int8('m').utf(type).utf(method).utf(descriptor);
  }

  @Override
  public Body body(FunctionRegistry registry, List<@Nullable Object> arguments, Incoming request) {
    FunctionRegistry.Target target = registry.method(this);
    target.requireRoles(request);
    if (!target.takes(arguments)) {
      List<String> types =
          arguments.stream().map(a -> a == null ? "null" : a.getClass().getTypeName()).toList();
      throw new GridException(Status.BAD_ARGUMENT, this + " does not take arguments of " + types);
    }
    Object[] spread = arguments.toArray();
    return () -> (Object) target.handle().invoke(spread);
  }

  @Override
  public RemoteFunction<?> known(FunctionRegistry registry) {
    return registry.known(this);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MethodFunction<?> that
        && method.equals(that.method)
        && type.equals(that.type)
        && descriptor.equals(that.descriptor);
  }

  @Override
  public int hashCode() {
    return (type.hashCode() * 31 + method.hashCode()) * 31 + descriptor.hashCode();
  }

  @Override
  public String toString() {
    String known = text;
    if (known == null) { // Several threads may write it; the text is always the same.
      known = MethodLookup.describe(type, method, MethodLookup.parameterNames(descriptor));
      text = known;
    }
    return known;
  }
}
