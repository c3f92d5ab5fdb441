package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds and checks the arguments of service calls that carry one array. */
public final class Arguments {
  private Arguments() {}

  /** Returns what was written, as the only argument. */
  public static List<@Nullable Object> of(WireOutput out) {
    return one(out.toBytes());
  }

  public static List<@Nullable Object> one(Object argument) {
    List<@Nullable Object> arguments = new ArrayList<>(1);
    arguments.add(argument);
    return arguments;
  }

  /** Returns the first argument; BAD_VALUE if it is no byte array. */
  public static byte[] bytes(List<@Nullable Object> arguments) {
    if (!arguments.isEmpty() && arguments.get(0) instanceof byte[] bytes) {
      return bytes;
    }
    throw unexpected(arguments);
  }

  /** Returns the first argument; BAD_VALUE if it is no array of longs. */
  public static long[] longs(List<@Nullable Object> arguments) {
    if (!arguments.isEmpty() && arguments.get(0) instanceof long[] longs) {
      return longs;
    }
    throw unexpected(arguments);
  }

  /** Returns the error for other arguments. */
  public static GridException unexpected(List<@Nullable Object> arguments) {
    return new GridException(Status.BAD_VALUE, "unexpected arguments " + arguments);
  }
}
