package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.internal.function.MethodFunction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Values, codecs and exceptions in calls between two workers, as docs/calls.md shows them. */
class ValuesInCallsTest {
  private static TestGrids grids;
  private static Grid alice;
  private static Grid bob;
  private static Rpc rpc;

  /** A value that is also the object of its methods. */
  @RemoteValue
  record Order(String item, int count, Optional<String> note) {}

  /** An object with fields. */
  @RemoteValue
  @RemoteFunctions
  static class Basket {
    private Map<String, Integer> items = new HashMap<>();

    Basket put(Order order) throws OutOfStock {
      if (order.count() > 100) {
        throw new OutOfStock(order.item());
      }
      items.merge(order.item(), order.count(), Integer::sum);
      return this;
    }

    int size() {
      return items.values().stream().mapToInt(i -> i).sum();
    }

    static OwnCodecsTest.Tree grow(OwnCodecsTest.Tree tree) {
      OwnCodecsTest.Tree root = new OwnCodecsTest.Tree("new root");
      root.children.add(tree);
      return root;
    }

    static void nothing(String text) {
      assertThat(text).isNotNull();
    }
  }

  /** An exception that arrives as itself. */
  @RemoteValue
  static final class OutOfStock extends Exception {
    private static final long serialVersionUID = 1L;

    OutOfStock(String message) {
      super(message);
    }
  }

  @BeforeAll
  static void join() {
    grids = new TestGrids();
    alice =
        grids.join(
            HazelgradConfig.named("alice")
                .codecs(new OwnCodecsTest.TreeCodec(), new OwnCodecsTest.PairCodec()));
    bob = grids.join(HazelgradConfig.named("bob").codecs(new OwnCodecsTest.TreeCodec()));
    rpc = alice.rpc();
  }

  @AfterAll
  static void end() {
    grids.close();
  }

  @Test
  void objectTravelsAndItsMethodsRun() {
    Basket basket = rpc.sync("bob", Basket::new);
    basket = rpc.sync("bob", Basket::put, basket, new Order("tea", 2, Optional.empty()));
    basket = rpc.sync("bob", Basket::put, basket, new Order("tea", 3, Optional.of("green")));
    assertThat(rpc.<Basket, Integer>sync("bob", Basket::size, basket)).isEqualTo(5);
    assertThat(rpc.sync("bob", Function.action(Basket::nothing), "text")).isNull();
  }

  @Test
  void exceptionArrivesAsItselfWhenMarked() {
    Order large = new Order("tea", 1000, Optional.empty());
    GridException failed =
        catchThrowableOfType(
            GridException.class, () -> rpc.sync("bob", Basket::put, new Basket(), large));
    assertThat(failed.status()).isEqualTo(Status.USER_ERROR);
    assertThat(failed).cause().isExactlyInstanceOf(OutOfStock.class).hasMessage("tea");
  }

  @Test
  void typeTravelsWhenBothWorkersHaveCodec() {
    OwnCodecsTest.Tree grown = rpc.sync("bob", Basket::grow, new OwnCodecsTest.Tree("leaf"));
    assertThat(grown.name).isEqualTo("new root");
    assertThat(grown.children).isEqualTo(List.of(new OwnCodecsTest.Tree("leaf")));
  }

  @Test
  void valueIsBadWhenReceiverLacksCodec() {
    Object pair = List.of("first", new OwnCodecsTest.Pair(1, 2));
    GridException refused =
        catchThrowableOfType(GridException.class, () -> rpc.sync("bob", Calls::echo, pair));
    assertThat(refused.status()).isEqualTo(Status.BAD_VALUE);
    assertThat(refused).hasMessageContaining("argument 0[1]: no codec named pair is in use here");
    assertThat(refused.mayHaveRun()).isFalse();
    assertThat(rpc.sync("alice", Calls::echo, pair)).isEqualTo(pair);
  }

  @Test
  void typeTravelsWithScopesOnBothSides() {
    Object pair = new OwnCodecsTest.Pair("a", "b");
    try (Codecs.Scope scope = bob.codecs().with(new OwnCodecsTest.PairCodec())) {
      assertThat(rpc.sync("bob", Calls::echo, pair)).isEqualTo(pair);
      assertThat(scope).isNotNull();
    }
    GridException refused =
        catchThrowableOfType(GridException.class, () -> rpc.sync("bob", Calls::echo, pair));
    assertThat(refused.status()).isEqualTo(Status.BAD_VALUE);
  }

  @Test
  void workerContinuesAfterRefusedValues() {
    for (int i = 0; i < 50; i++) {
      GridException refused =
          catchThrowableOfType(
              GridException.class,
              () -> rpc.sync("bob", new MethodFunction<>("java.lang.Runtime", "gc", "()V"), this));
      assertThat(refused.status()).as("this test is no value").isEqualTo(Status.BAD_VALUE);
      refused =
          catchThrowableOfType(
              GridException.class,
              () -> rpc.sync("bob", new MethodFunction<>("java.lang.Runtime", "gc", "()V")));
      assertThat(refused.status()).isEqualTo(Status.NOT_ALLOWED);
    }
    assertThat(rpc.sync("bob", Calls::worker)).isEqualTo("bob");
  }
}
