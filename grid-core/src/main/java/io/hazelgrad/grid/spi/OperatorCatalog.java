package io.hazelgrad.grid.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operators that calls may name. */
public interface OperatorCatalog {
  /** Checks a call before it is sent; throws UNKNOWN_FUNCTION or BAD_ARGUMENT. */
  void check(String operator, List<@Nullable Object> arguments);

  /** Runs an operator. */
  Object apply(String operator, List<@Nullable Object> arguments);
}
