package io.hazelgrad.grid.internal.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.Proofs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A request or reply is believed with the proof for just its own bytes. */
class CallProofsTest {
  private static final Worker CALLER = new Worker("caller", 1, new UUID(1, 1));
  private static final Worker CALLEE = new Worker("callee", 2, new UUID(2, 2));
  private static final byte[] NONE = {};
  private static final byte[] VALUES = {1, 2, 3};
  private static final byte[] OTHERS = {1, 2, 4};

  private final CallProofs proofs = new CallProofs(new HmacProofs(bytes("the right secret")));
  private final CallProofs stranger = new CallProofs(new HmacProofs(bytes("a wrong secret")));

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Request request(long number, Worker callee, byte[] headers, byte[] values) {
    return new Request(
        new CallId(CALLER.id(), number),
        CALLER,
        callee,
        Function.operator("add"),
        Long.MAX_VALUE,
        headers,
        values);
  }

  private static Request request() {
    return request(7, CALLEE, NONE, VALUES);
  }

  private static Request arrived(Request request) {
    return Request.read(request.envelope(), request.headers(), request.values());
  }

  private static Reply arrived(Reply reply) {
    return Reply.read(reply.failureBytes(), reply.headers(), reply.values())
        .travelled(reply.proof());
  }

  @Test
  void requestIsBelievedWithItsProofEachTimeItIsSent() {
    Request proven = proofs.prove(request());
    for (Request sent : List.of(proven, proven.again(Request.Sending.AGAIN))) {
      assertThatCode(() -> proofs.check(arrived(sent))).doesNotThrowAnyException();
    }
  }

  @Test
  void requestIsRefusedWhenAnyPartIsAnother() {
    byte[] proof = proofs.prove(request()).proof();
    for (Request other :
        List.of(
            request(8, CALLEE, NONE, VALUES),
            request(7, new Worker("callee", 3, new UUID(2, 2)), NONE, VALUES),
            request(7, CALLEE, VALUES, NONE),
            request(7, CALLEE, NONE, OTHERS))) {
      assertThatThrownBy(() -> proofs.check(arrived(other.proof(proof))))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHORIZED))
          .hasMessageContaining("a wrong proof");
    }
    assertThatThrownBy(() -> proofs.check(arrived(request()))).hasMessageContaining("no proof");
  }

  @Test
  void replyIsReplacedByFailureWithoutItsProof() {
    Request asked = arrived(proofs.prove(request()));
    List<Reply> sent = new ArrayList<>();
    proofs.proving(asked, sent::add).accept(Reply.value(NONE, VALUES));
    stranger.proving(asked, sent::add).accept(Reply.value(NONE, VALUES));
    Reply right = arrived(sent.get(0));

    assertThat(proofs.checked(asked, right)).isSameAs(right);
    Request another = request(8, CALLEE, NONE, VALUES);
    for (Reply refused :
        List.of(proofs.checked(asked, arrived(sent.get(1))), proofs.checked(another, right))) {
      assertThat(refused.failure()).isNotNull();
      assertThat(refused.failure().status()).isEqualTo(Status.UNAUTHORIZED);
      assertThat(refused.failure().mayHaveRun()).isTrue();
    }
  }

  @Test
  void proofOfRequestIsNoneForReply() {
    byte[] message = {1};
    HmacProofs secret = new HmacProofs(bytes("the right secret"));
    byte[] proof = secret.of(Proofs.Purpose.CALL, message);
    assertThat(secret.accept(proof, Proofs.Purpose.CALL, message)).isTrue();
    assertThat(secret.accept(proof, Proofs.Purpose.REPLY, message)).isFalse();
    assertThat(secret.accept(proof, Proofs.Purpose.CALL, message, NONE)).isFalse();
  }

  @Test
  void secretIsRefusedWhenItIsShortOrMissing(@TempDir Path folder) throws IOException {
    Path small = Files.writeString(folder.resolve("small"), "fifteen bytes..\n\n");
    assertThatThrownBy(
            () -> SecretFile.proofs(HazelgradConfig.named("x").build(), small.toString()))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG))
        .hasMessageContaining("16 to 4096 bytes, not 15");
    HazelgradConfig missing = HazelgradConfig.named("x").secret(folder.resolve("missing")).build();
    assertThatThrownBy(() -> SecretFile.proofs(missing, null)).hasMessageContaining("missing");
  }
}
