package io.hazelgrad.autograd.ops;

import io.hazelgrad.autograd.internal.ops.Activations;
import io.hazelgrad.autograd.internal.ops.Arithmetic;
import io.hazelgrad.autograd.internal.ops.Extremes;
import io.hazelgrad.autograd.internal.ops.Indexing;
import io.hazelgrad.autograd.internal.ops.Joining;
import io.hazelgrad.autograd.internal.ops.MatrixOps;
import io.hazelgrad.autograd.internal.ops.Power;
import io.hazelgrad.autograd.internal.ops.Reductions;
import io.hazelgrad.autograd.internal.ops.Selection;
import io.hazelgrad.autograd.internal.ops.ShapeOps;
import io.hazelgrad.autograd.internal.ops.VectorNorm;
import io.hazelgrad.autograd.internal.ops.network.Attention;
import io.hazelgrad.autograd.internal.ops.network.Correlation;
import io.hazelgrad.autograd.internal.ops.network.DropoutMask;
import io.hazelgrad.autograd.internal.ops.network.Losses;
import io.hazelgrad.autograd.internal.ops.network.Normalisation;
import io.hazelgrad.autograd.internal.ops.network.Pooling;
import io.hazelgrad.autograd.internal.ops.network.RecurrentCells;
import io.hazelgrad.autograd.internal.ops.network.Softmax;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All operations by name.
 *
 * <p>docs/catalogue.md says what each takes; a test compares it with this catalogue.
 *
 * <p>Threads: immutable, hence safe.
 */
public final class Catalogue {
  private static final Map<String, Operation> OPERATIONS =
      Stream.of(
              Arithmetic.all(),
              List.of(new Power(), new VectorNorm(), new DropoutMask()),
              Selection.all(),
              Activations.all(),
              Softmax.all(),
              Reductions.all(),
              Extremes.all(),
              MatrixOps.all(),
              ShapeOps.all(),
              Joining.all(),
              Indexing.all(),
              Normalisation.all(),
              List.of(new Correlation("conv1d", 1), new Correlation("conv2d", 2)),
              Pooling.all(),
              Attention.all(),
              RecurrentCells.all(),
              Losses.all())
          .flatMap(List::stream)
          .collect(Collectors.toUnmodifiableMap(Operation::name, operation -> operation));

  private Catalogue() {}

  /**
   * Returns the operation of that name.
   *
   * @throws GridException UNKNOWN_FUNCTION, with the names that are like it
   */
  public static Operation get(String name) {
    Operation operation = OPERATIONS.get(name);
    if (operation == null) {
      List<String> near = names().stream().filter(known -> isNear(known, name)).toList();
      throw new GridException(
          Status.UNKNOWN_FUNCTION,
          "no operation "
              + name
              + (near.isEmpty() ? "; there are " + names() : "; did you mean " + near + "?"));
    }
    return operation;
  }

  /** Returns all names, sorted. */
  public static SortedSet<String> names() {
    return new TreeSet<>(OPERATIONS.keySet());
  }

  /** Whether two names differ in little: case, underscores, a part, or two letters. */
  private static boolean isNear(String known, String name) {
    String a = known.replace("_", "");
    String b = name.toLowerCase(Locale.ROOT).replace("_", "");
    if (b.length() > 40) {
      return false; // No name is like that; comparing letters would take long.
    }
    boolean part = b.length() > 2 && (a.contains(b) || b.contains(a));
    return part || distance(a, b) <= Math.min(2, b.length() / 2);
  }

  /** The number of letters to insert, drop or replace (Levenshtein). */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replace = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replace, 1 + Math.min(row[j - 1], row[j]));
      }
    }
    return row[b.length()];
  }
}
