package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the shapes of arguments as text. */
final class ArgumentShapes {
  private ArgumentShapes() {}

  static List<String> of(List<? extends @Nullable Object> arguments) {
    return arguments.stream()
        .map(argument -> argument instanceof Tensor t ? Arrays.toString(t.shape()) : "")
        .toList();
  }
}
