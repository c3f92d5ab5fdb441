package io.hazelgrad.grid.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The graphs that calls may name. */
public interface GraphCatalog {
  /** Checks a call before it is sent; returns the graph's version, which travels with it. */
  long check(String graph, List<@Nullable Object> arguments);

  /** Runs a graph, in this version or a newer one. */
  Object apply(String graph, long version, List<@Nullable Object> arguments);
}
