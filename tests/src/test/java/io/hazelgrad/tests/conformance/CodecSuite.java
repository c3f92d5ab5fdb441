package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TypeCodec;
import io.hazelgrad.grid.ValueInput;
import io.hazelgrad.grid.ValueOutput;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Tests of codecs of an application in a scope. Only one worker calls, because a scope applies to a
 * whole worker.
 */
@RemoteFunctions
class CodecSuite extends PeerSuite {
  /** Value outside of every allow-list, so it travels by the codec only. */
  static final class Wrapped {
    private final Object inner;

    Wrapped(Object inner) {
      this.inner = inner;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Wrapped that && that.inner.equals(inner);
    }

    @Override
    public int hashCode() {
      return Objects.hash(inner);
    }
  }

  /** Codec that lets the grid write the inner value, which may be wrapped again. */
  private static final class WrappedCodec implements TypeCodec<Wrapped> {
    @Override
    public Class<Wrapped> type() {
      return Wrapped.class;
    }

    @Override
    public void write(Wrapped value, ValueOutput out) {
      out.value(value.inner);
    }

    @Override
    public Wrapped read(ValueInput in) {
      return new Wrapped(in.value(Object.class));
    }
  }

  /** Codec that writes any value as its text. */
  private static final class TextCodec implements TypeCodec<Object> {
    @Override
    public Class<Object> type() {
      return Object.class;
    }

    @Override
    public String name() {
      return "text";
    }

    @Override
    public void write(Object value, ValueOutput out) {
      out.raw().utf("text of " + value);
    }

    @Override
    public Object read(ValueInput in) {
      return in.raw().utf();
    }
  }

  private static final AtomicReference<Codecs.Scope> INSTALLED = new AtomicReference<>();

  static boolean install() {
    return INSTALLED.getAndSet(grid().codecs().with(new WrappedCodec(), new TextCodec())) == null;
  }

  static boolean uninstall() {
    return Optional.ofNullable(INSTALLED.getAndSet(null))
        .map(
            scope -> {
              scope.close();
              return true;
            })
        .orElse(false);
  }

  static Object same(Object value) {
    return value;
  }

  private static void withCodec(Runnable body) {
    assertThat(rpc().sync(dst(), CodecSuite::install)).isTrue();
    try (Codecs.Scope scope = driver().codecs().with(new WrappedCodec())) {
      assertThat(scope).isNotNull();
      body.run();
    } finally {
      assertThat(rpc().sync(dst(), CodecSuite::uninstall)).isTrue();
    }
  }

  @Test
  @PeerTest("test_use_rpc_pickler")
  void codecAppliesWithinItsScope() {
    if (rank() != 0) {
      return;
    }
    Function<Object> same = Function.of(CodecSuite::same);
    Wrapped value = new Wrapped("inside");
    withCodec(() -> threeWays(dst(), same, is(value), value));
    fails(
        Status.BAD_VALUE,
        Wrapped.class.getName(),
        () -> rpc().sync(dst(), same, value)); // The former codecs apply again.
  }

  @Test
  void replacedCodecWritesAllArgumentsOfItsThread() {
    if (rank() != 0) {
      return;
    }
    Function<Object> same = Function.of(CodecSuite::same);
    Rpc rpc = rpc(); // Another thread cannot ask for it.
    String dst = dst();
    withCodec(
        () -> {
          try (Codecs.Scope scope = driver().codecs().replacing(new TextCodec())) {
            assertThat(scope).isNotNull();
            threeWays(dst(), same, is("text of 5"), 5);
            threeWays(dst(), same, is("text of [a]"), List.of("a"));
            assertThat(rpc().<Object>sync(dst(), same, (Object) null)).isNull();
            assertThat(CompletableFuture.supplyAsync(() -> rpc.sync(dst, same, 5)).join())
                .isEqualTo(5);
            try (RRef<Object> ref = rrefs().remote(dst(), same, 7)) {
              assertThat(rpc().sync(dst(), CodecSuite::copied, ref)).isEqualTo("text of 7");
              assertThat(ref.<Object>sync(same)).isEqualTo("text of 7");
            }
          }
          threeWays(dst(), same, is(5), 5);
        });
  }

  static Object copied(RRef<Object> ref) {
    return ref.toHere();
  }

  @Test
  @PeerTest("test_py_nested_pickle")
  void codecAppliesToNestedValues() {
    if (rank() != 0) {
      return;
    }
    Object inner = List.of(new Wrapped(Tensor.scalar(1)), Map.of("a", new Wrapped(2)));
    Wrapped value = new Wrapped(inner);
    withCodec(() -> threeWays(dst(), Function.of(CodecSuite::same), is(value), value));
  }
}
