package io.hazelgrad.autograd.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Forward;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.autograd.internal.plan.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Hosts are begun once each, whichever message reaches them first. */
class AttemptCoordinatorTest {
  private static final long A = 10;
  private static final long B = 11;

  private final Forward forward = new Forward();
  private final MessageId reply = forward.call(A, B);
  private final List<GradientMessage> gradients = List.of(GradientMessage.empty(reply, 1));
  private final List<String> sent = new ArrayList<>();
  private final AttemptCoordinator coordination = coordination();

  /** Notes what is sent, and answers nothing. */
  private final class Noted extends HostCalls {
    Noted() {
      super(null, null);
    }

    @Override
    CompletableFuture<List<@Nullable Object>> sendBegin(
        AttemptRequest order,
        PassSpec spec,
        int wave,
        long host,
        List<GradientMessage> messages,
        long deadlineNanos) {
      sent.add("begin with " + messages.size());
      return new CompletableFuture<>();
    }

    @Override
    CompletableFuture<List<@Nullable Object>> sendGradients(
        PassId pass, int wave, long host, List<GradientMessage> messages, long deadlineNanos) {
      sent.add("gradients " + messages.size());
      return new CompletableFuture<>();
    }
  }

  private AttemptCoordinator coordination() {
    PassId pass = new PassId(A, 1, 0);
    Plan plan = forward.plan(A, reply);
    PassSpec spec =
        new PassSpec(pass, new ContextId(A, 1), false, PassDecisions.NONE, plan.waves(), Map.of());
    AttemptRequest order = AttemptRequest.of(spec, plan, Map.of(A, A, B, B));
    return new AttemptCoordinator(order, A, Long.MAX_VALUE, new Noted());
  }

  @Test
  void readyGradientsStartTheirHost() {
    var unused = coordination.send(1, B, gradients);
    assertThat(sent).containsExactly("begin with 1");
    assertThat(coordination.unbegun()).isEmpty();
  }

  @Test
  void laterGradientsFindTheirHostStarted() {
    var unused = coordination.send(0, B, List.of());
    var unusedToo = coordination.send(1, B, gradients);
    assertThat(sent).containsExactly("begin with 0", "gradients 1");
  }

  /** When both happen at once: the gradients of a client's roots come from another thread. */
  @Test
  void hostIsNotContactedAgainWhenStartedByGradients() {
    assertThat(coordination.unbegun()).containsExactly(B);
    var unused = coordination.send(1, B, gradients);
    CompletableFuture<List<@Nullable Object>> answer = coordination.send(0, B, List.of());
    assertThat(sent).containsExactly("begin with 1");
    assertThat(GradientBatchReply.read(answer.join()).messages()).isEmpty();
  }
}
