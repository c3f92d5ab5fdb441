package io.hazelgrad.tests.client;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** The references that a {@link ClientJvm} holds, and its commands for them. */
final class ClientReferences {
  private final List<RRef<SharedObject>> held = new CopyOnWriteArrayList<>();

  CompletableFuture<String> run(GridClient client, String[] words) {
    return switch (words[1]) {
      case "make" -> make(client, words[2], Integer.parseInt(words[3]));
      case "label" -> held.get(held.size() - 1).async(SharedObject::label);
      case "sum" -> sum(client, words[2], Integer.parseInt(words[3]));
      case "give" ->
          client.rpc().async(words[2], SharedObject::keep, words[3], held.get(held.size() - 1));
      case "borrow" ->
          client
              .rpc()
              .async(words[2], SharedObject::lend, words[3])
              .thenApply(
                  shelf -> {
                    held.add(shelf);
                    return "borrowed";
                  });
      case "held" -> CompletableFuture.completedFuture("" + client.rrefs().handleCount());
      case "close" -> {
        held.forEach(RRef::close);
        held.clear();
        yield CompletableFuture.completedFuture("closed");
      }
      default -> throw new IllegalArgumentException(String.join(" ", words));
    };
  }

  /** Adds tensors on a worker, and fetches the sum that stays there. */
  private static CompletableFuture<String> sum(GridClient client, String worker, int size) {
    float[] elements = new float[size];
    Arrays.fill(elements, 1);
    Tensor ones = Tensor.of(elements, size);
    RRef<Tensor> sum = client.rrefs().remote(worker, Function.operator("add"), ones, ones);
    return sum.toHereAsync()
        .whenComplete((tensor, failure) -> sum.close())
        .thenApply(tensor -> tensor.toFloats()[size - 1] + " of " + tensor.size());
  }

  private CompletableFuture<String> make(GridClient client, String worker, int count) {
    CompletableFuture<?>[] made = new CompletableFuture<?>[count];
    for (int i = 0; i < count; i++) {
      RRef<SharedObject> shelf = client.rrefs().remote(worker, SharedObject::new, "shelf " + i);
      held.add(shelf);
      made[i] = shelf.creation();
    }
    return CompletableFuture.allOf(made).thenApply(nothing -> "made");
  }
}
