package io.hazelgrad.grid.internal.proof;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.grid.spi.Proofs.Purpose;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.function.Consumer;

/**
 * The proofs of calls. That of a request covers the caller, the callee, the number of the call, the
 * function, the headers and the values. That of a reply covers the ids of its call and all that it
 * brings. What never left the JVM needs no proof.
 */
public final class CallProofs {
  /** The end of every error about a proof: the settings to check. */
  public static final String REMEDY =
      "give all workers and clients the same secret file, by HazelgradConfig.secret, the property"
          + " hazelgrad.secret.file or the option --secret-file";

  private final Proofs proofs;

  public CallProofs(Proofs proofs) {
    this.proofs = proofs;
  }

  /** Returns whether the grid has a secret. */
  public boolean areNeeded() {
    return proofs.areNeeded();
  }

  /** Adds the proof to a request that is about to leave. */
  public Request prove(Request request) {
    return request.proof(
        proofs.of(Purpose.CALL, request.head(), request.headers(), request.values()));
  }

  /**
   * Checks a request that has arrived.
   *
   * @throws GridException UNAUTHORIZED if it carries no proof or a wrong one
   */
  public void check(Request request) {
    if (!proofs.areNeeded()
        || !request.hasTravelled()
        || proofs.accept(
            request.proof(), Purpose.CALL, request.head(), request.headers(), request.values())) {
      return;
    }
    throw new GridException(
        Status.UNAUTHORIZED,
        "worker %s refused a call of %s to %s, which carries %s proof of the grid's secret: %s"
            .formatted(
                request.callee().name(),
                request.caller().name(),
                request.function(),
                request.proof().length == 0 ? "no" : "a wrong",
                REMEDY));
  }

  /** Returns the receiver of the reply to a request, which gets it with its proof. */
  public Consumer<Reply> proving(Request request, Consumer<Reply> replyTo) {
    if (!proofs.areNeeded() || !request.hasTravelled()) {
      return replyTo;
    }
    return reply ->
        replyTo.accept(
            reply.proof(
                proofs.of(
                    Purpose.REPLY,
                    ids(request),
                    reply.failureBytes(),
                    reply.headers(),
                    reply.values())));
  }

  /** Returns a reply whose proof is right, and a failure in place of any other. */
  public Reply checked(Request request, Reply reply) {
    if (!reply.hasTravelled()
        || proofs.accept(
            reply.proof(),
            Purpose.REPLY,
            ids(request),
            reply.failureBytes(),
            reply.headers(),
            reply.values())) {
      return reply;
    }
    GridException said = reply.failure();
    if (said != null && said.status() == Status.WORKER_LOST) {
      return reply; // Its member has no worker any more that could prove it.
    }
    return Reply.failure(
        new GridException(
            Status.UNAUTHORIZED,
            "the reply of worker %s to %s carries no valid proof of the grid's secret: %s%s"
                .formatted(
                    request.callee().name(),
                    request.function(),
                    REMEDY,
                    said == null ? "" : ". The reply says: " + said.getMessage()),
            true,
            null,
            null));
  }

  private static byte[] ids(Request request) {
    return new WireOutput(24)
        .int64(request.callee().id())
        .int64(request.id().caller())
        .int64(request.id().sequence())
        .toBytes();
  }
}
