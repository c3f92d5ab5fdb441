package io.hazelgrad.grid.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteError;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.function.AllowList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which exceptions arrive as themselves, and how the others do. */
class RemoteErrorCodecTest {
  private final AllowList allowed = TestCodecs.allowing(Configured.class);

  /** Marked, with a constructor that is not public. */
  @RemoteValue
  static final class Marked extends Exception {
    private static final long serialVersionUID = 1L;

    private Marked(String message, Throwable cause) {
      super(message, cause);
    }
  }

  static final class Configured extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Configured(String message) {
      super(message);
    }
  }

  /** Known here, but neither marked nor configured. */
  static final class Stranger extends RuntimeException {
    private static final long serialVersionUID = 1L;

    static {
      System.setProperty("io.hazelgrad.grid.stranger", "initialised");
    }

    Stranger(String message) {
      super(message);
    }
  }

  @RemoteValue
  static final class Decorating extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Decorating(String message) {
      super("code 7: " + message);
    }
  }

  @RemoteValue
  static final class Silent extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Silent() {
      super("always the same");
    }
  }

  @RemoteValue
  static final class Throwing extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Throwing() {}

    @Override
    public String getMessage() {
      throw new IllegalStateException("not even that");
    }
  }

  private GridException arrived(Throwable thrown) {
    GridException sent = RemoteErrorCodec.thrown(thrown, "f()", TestCodecs.ALICE);
    GridException received =
        new GridException(sent.status(), sent.getMessage(), true, sent.remote(), null);
    return RemoteErrorCodec.arrived(received, allowed, "alice");
  }

  @Test
  void failureThatNoFunctionThrewNamesItsWorker() {
    GridException refused = new GridException(Status.REJECTED, "no room");
    assertThat(RemoteErrorCodec.arrived(refused, allowed, "alice"))
        .hasMessage("Error on worker alice: no room")
        .returns(Status.REJECTED, GridException::status)
        .returns(false, GridException::mayHaveRun);
    assertThat(arrived(new IllegalStateException("own")).getMessage()).startsWith("f() threw on");
    GridException fenced = new GridException(Status.FENCED, "this client was lost");
    assertThat(RemoteErrorCodec.arrived(fenced, allowed, "alice")).isSameAs(fenced);
  }

  static Stream<Throwable> themselves() {
    return Stream.of(
        new IllegalArgumentException("a\nb"),
        new NullPointerException(),
        new IOException("disk"),
        new SQLException("table"),
        new CancellationException("stop"),
        new AssertionError("expected"),
        new UncheckedIOException("wrapped", new IOException("inner")),
        new Marked("marked", null),
        new Configured("configured"),
        new Silent());
  }

  @ParameterizedTest
  @MethodSource("themselves")
  void exceptionArrivesAsItself(Throwable thrown) {
    GridException failure = arrived(thrown);
    if (thrown instanceof UncheckedIOException) { // Needs an IOException that did not travel.
      assertThat(failure).hasNoCause();
    } else {
      assertThat(failure.getCause()).isExactlyInstanceOf(thrown.getClass());
      assertThat(failure.getCause()).hasMessage(thrown.getMessage());
      assertThat(failure.getCause().getStackTrace()[0].toString()).contains("on worker alice");
    }
    assertThat(failure)
        .hasMessageContainingAll("f() threw on worker alice", thrown.getClass().getName());
  }

  @Test
  void exceptionArrivesAsTextWhenItCannotBeRebuilt() {
    GridException failure = arrived(new Stranger("who"));
    assertThat(failure).hasNoCause().hasMessageContainingAll("RemoteErrorCodecTest$Stranger: who");
    assertThat(failure.remote().type()).isEqualTo(Stranger.class.getName());
    System.clearProperty("io.hazelgrad.grid.stranger"); // Set when it was thrown.
    assertThat(arrived(new Stranger("again"))).hasNoCause();
    assertThat(System.getProperty("io.hazelgrad.grid.stranger")).isNull();
  }

  @Test
  void messageIsNeverChanged() {
    GridException failure = arrived(new Decorating("x"));
    assertThat(failure).hasNoCause().hasMessageContaining("code 7: x");
  }

  @Test
  void exceptionIsReportedWhenItsMethodsThrow() {
    GridException failure = arrived(new Throwing());
    assertThat(failure)
        .hasMessageContainingAll("RemoteErrorCodecTest$Throwing", "its getMessage() threw");
  }

  @Test
  void endlessMessagesAndCausesAreCut() {
    Throwable cause = new IllegalStateException("y".repeat(100_000));
    for (int i = 0; i < 1000; i++) {
      cause = new IllegalStateException("level " + i, cause);
    }
    RemoteError remote = arrived(new Configured("x".repeat(1_000_000)).initCause(cause)).remote();
    assertThat(remote.message()).hasSizeLessThan(RemoteErrorCodec.MAX_MESSAGE + 100);
    assertThat(remote.message()).endsWith("... (1000000 characters)");
    assertThat(remote.stack()).hasSize(RemoteErrorCodec.MAX_FRAMES);
  }
}
