package io.hazelgrad.grid.internal.collective.vector;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Reduction;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Splits lists of tensors by their element types, since a round moves elements of one type. */
public final class ElementTypes {
  private ElementTypes() {}

  /**
   * Begins a round for each element type of the list, in the order of the types.
   *
   * @param begin makes one result for each tensor of a type
   * @return the results in the order of the list
   */
  public static <R> CompletableFuture<List<R>> each(
      List<Tensor> tensors, Function<List<Tensor>, CompletableFuture<List<R>>> begin) {
    if (tensors.isEmpty()) {
      throw new GridException(Status.BAD_ARGUMENT, "a round needs at least one tensor");
    }
    Map<DType, CompletableFuture<List<R>>> rounds = new EnumMap<>(DType.class);
    for (DType type : tensors.stream().map(Tensor::dtype).distinct().sorted().toList()) {
      rounds.put(type, begin.apply(tensors.stream().filter(each -> each.dtype() == type).toList()));
    }
    List<CompletableFuture<List<R>>> all = List.copyOf(rounds.values());
    if (all.size() == 1) {
      return all.get(0);
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              Map<DType, Iterator<R>> next = new EnumMap<>(DType.class);
              rounds.forEach((type, results) -> next.put(type, results.join().iterator()));
              return tensors.stream()
                  .map(each -> Objects.requireNonNull(next.get(each.dtype())).next())
                  .toList();
            });
  }

  /**
   * Begins such rounds for a reduction. Narrow elements are combined as wider ones and rounded
   * once.
   *
   * @throws GridException BAD_ARGUMENT if the reduction does not combine an element type
   */
  public static CompletableFuture<List<Tensor>> reducing(
      List<Tensor> tensors,
      Reduction reduction,
      Function<List<Tensor>, CompletableFuture<List<Tensor>>> begin) {
    List<Tensor> wide =
        tensors.stream().map(each -> each.to(wide(each.dtype(), reduction))).toList();
    CompletableFuture<List<Tensor>> results = each(wide, begin);
    boolean same =
        IntStream.range(0, wide.size())
            .allMatch(i -> wide.get(i).dtype() == tensors.get(i).dtype());
    return same
        ? results
        : results.thenApply(
            all ->
                IntStream.range(0, all.size())
                    .mapToObj(i -> all.get(i).to(tensors.get(i).dtype()))
                    .toList());
  }

  private static DType wide(DType type, Reduction reduction) {
    if (type == DType.BOOL || (reduction == Reduction.MEAN && !type.isFloating())) {
      throw new GridException(Status.BAD_ARGUMENT, "elements of " + type + " have no " + reduction);
    }
    return switch (type) {
      case FLOAT16, BFLOAT16 -> DType.FLOAT32;
      case INT16, INT8, UINT8 -> DType.INT32;
      default -> type;
    };
  }
}
