package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * All operations by name. docs/catalogue.md lists the inputs and attributes of each; a test
 * compares that list with this class.
 *
 * <p>Threads: immutable, hence safe.
 */
public final class Catalogue {
  private static final OperationProvider PROVIDER =
      ServiceLoader.load(OperationProvider.class, OperationProvider.class.getClassLoader())
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalStateException(
                      "no " + OperationProvider.class.getName() + " in META-INF/services"));

  private static final Map<String, Operation> OPERATIONS =
      PROVIDER.operations().stream()
          .collect(Collectors.toUnmodifiableMap(Operation::name, operation -> operation));

  private static final List<BackendProvider> DEVICES =
      ServiceLoader.load(BackendProvider.class, BackendProvider.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  private Catalogue() {}

  /**
   * Returns the operation of that name.
   *
   * @throws GridException UNKNOWN_FUNCTION if there is none; the message lists similar names
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

  /** Returns the backend of the CPU. */
  public static Backend backend() {
    return PROVIDER.backend();
  }

  /**
   * Returns the backend that computes on a device.
   *
   * @throws GridException BAD_CONFIG if there is none
   */
  public static Backend backend(Device device) {
    if (device.isOfHost()) {
      return PROVIDER.backend();
    }
    return DEVICES.stream()
        .filter(each -> each.kind().equals(device.kind()))
        .findFirst()
        .orElseThrow(
            () ->
                new GridException(Status.BAD_CONFIG, "no backend on the class path for " + device))
        .backend(device);
  }

  /** Returns all names, sorted. */
  public static SortedSet<String> names() {
    return new TreeSet<>(OPERATIONS.keySet());
  }

  /** Returns whether one name is a part of the other, or differs by case and two letters. */
  private static boolean isNear(String known, String name) {
    String a = known.replace("_", "");
    String b = name.toLowerCase(Locale.ROOT).replace("_", "");
    if (b.length() > 40) {
      return false; // Longer than every name; the comparison would take long.
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
