package io.hazelgrad.grid.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The graphs that calls may name. */
public interface GraphCatalog {
  /**
   * Checks a call before it is sent, with UNKNOWN_FUNCTION or BAD_ARGUMENT for a wrong one, and
   * returns the graph's version, which travels with the call.
   */
  long check(String graph, List<@Nullable Object> arguments);

  /** Runs a graph, in this version or a newer one. */
  Object apply(String graph, long version, List<@Nullable Object> arguments);
}
