package io.hazelgrad.autograd.training;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The parts of a {@link DistributedOptimizer} on the owners, and calls to one or all of them. */
final class OwnerCalls {
  /** The part of one owner, and the numbers of its parameters in its order. */
  private record Part(RRef<ParameterService> parameters, List<Integer> numbers) {
    String owner() {
      return "worker " + parameters.owner().name();
    }
  }

  /** The part that a parameter belongs to, and its index in that part. */
  private record Place(Part part, int index) {}

  private final List<Part> parts = new ArrayList<>();
  private final SortedMap<Integer, Place> places = new TreeMap<>();

  void add(RRef<ParameterService> parameters, List<Integer> numbers) {
    Part part = new Part(parameters, numbers);
    parts.add(part);
    for (int i = 0; i < numbers.size(); i++) {
      places.put(numbers.get(i), new Place(part, i));
    }
  }

  /** Returns the number of parameters of all owners. */
  int parameters() {
    return places.size();
  }

  /** Returns the name of a parameter in errors. */
  String describe(int parameter) {
    return "parameter " + parameter + " on " + place(parameter).part.owner();
  }

  private Place place(int parameter) {
    Place place = places.get(parameter);
    if (place == null) {
      throw new IllegalArgumentException("no parameter " + parameter);
    }
    return place;
  }

  /** Returns figures of all parameters in their order, from the figures of each owner. */
  double[] inOrder(List<double[]> byOwner) {
    double[] all = new double[places.size()];
    for (int p = 0; p < parts.size(); p++) {
      List<Integer> numbers = parts.get(p).numbers;
      for (int i = 0; i < numbers.size(); i++) {
        all[numbers.get(i)] = byOwner.get(p)[i];
      }
    }
    return all;
  }

  /** Calls a function of a parameter's owner with its place there, and waits. */
  <R> R ofParameter(int parameter, String what, Function<R> function, Object argument) {
    Place place = place(parameter);
    try {
      return place.part.parameters.sync(function, place.index, argument);
    } catch (GridException e) {
      throw named(what, place.part, e);
    }
  }

  /**
   * Calls a function of all owners at once, and waits for all, also when one cannot even be called.
   *
   * @return the results in the order of the owners
   * @throws GridException the first failure, with the others as suppressed
   */
  <R> List<R> all(String what, Function<R> function, Object... arguments) {
    List<CompletableFuture<R>> calls = new ArrayList<>();
    for (Part part : parts) {
      try {
        calls.add(part.parameters.async(function, arguments));
      } catch (GridException e) {
        calls.add(CompletableFuture.failedFuture(e));
      }
    }
    List<R> results = new ArrayList<>();
    GridException failure = null;
    for (int i = 0; i < calls.size(); i++) {
      try {
        results.add(calls.get(i).join());
      } catch (CompletionException e) {
        GridException next = named(what, parts.get(i), e.getCause());
        if (failure == null) {
          failure = next;
        } else {
          failure.addSuppressed(next);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return results;
  }

  private static GridException named(String what, Part part, @Nullable Throwable cause) {
    String where = what + " on " + part.owner() + " failed: ";
    return cause instanceof GridException e
        ? new GridException(e.status(), where + e.getMessage(), e.mayHaveRun(), e.remote(), e)
        : new GridException(Status.INTERNAL, where + cause, true, null, cause);
  }

  /** Closes the references to all parts. */
  void close() {
    parts.forEach(part -> part.parameters.close());
  }
}
