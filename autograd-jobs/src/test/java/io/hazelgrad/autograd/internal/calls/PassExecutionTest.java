package io.hazelgrad.autograd.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.grid.GridException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Parts of passes that the sweep meets before their host was told of the attempt. */
class PassExecutionTest {
  private final List<PassExecution> over = new ArrayList<>();
  private final PassExecution execution = new PassExecution(new PassId(1, 1, 0), over::add);

  @Test
  void partThatWasJustMadeIsKept() {
    execution.forget();
    execution.forget();
    assertThat(over).isEmpty();
    assertThat(execution.receive(1, 2, List.of())).isNotDone();
  }

  @Test
  void partIsKeptWhileBatchWaits() {
    CompletableFuture<List<@Nullable Object>> first = execution.receive(1, 2, List.of());
    var unused = execution.receive(1, 3, List.of());
    first.cancel(false);
    execution.forget();
    assertThat(over).isEmpty();
  }

  @Test
  void partEndsWhenItsLastBatchIsCancelled() {
    execution.receive(1, 2, List.of()).cancel(false);
    execution.forget();
    assertThat(over).containsExactly(execution);
    assertThatThrownBy(() -> execution.receive(1, 3, List.of()))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("is over");
  }
}
