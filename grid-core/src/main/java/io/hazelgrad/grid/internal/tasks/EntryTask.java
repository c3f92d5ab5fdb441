package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.MemberAttributeConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.proof.CallProofs;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.grid.spi.Proofs.Purpose;
import io.hazelgrad.grid.spi.WireOutput;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The question to a member by which a worker or client proves, before it enters the directory, that
 * it has the grid's secret. The answer proves it for the member: it is empty if the member refuses.
 * Every prepared member answers, also before its own worker has entered.
 */
public final class EntryTask extends GridTask<byte[]> {
  /** The member attribute that says that a member asks for proofs. */
  private static final String ATTRIBUTE = "hazelgrad.secret";

  private static final long PATIENCE_SECONDS = 5;
  private static final int NONCE_BYTES = 16;
  private static final byte[] REFUSED = {};
  private static final SecureRandom RANDOM = new SecureRandom();

  private byte[] question = REFUSED;
  private byte[] proof = REFUSED;

  /** For the serializer. */
  public EntryTask() {}

  private EntryTask(byte[] question, byte[] proof) {
    this.question = question;
    this.proof = proof;
  }

  /** Lets the other members know whether this one asks for proofs. */
  public static void prepare(MemberAttributeConfig attributes, Proofs proofs) {
    if (proofs.areNeeded()) {
      attributes.setAttribute(ATTRIBUTE, "true");
    }
  }

  /**
   * Proves to the other members that a worker or client has the secret. One member that accepts it
   * and proves the same is enough, since a stranger may refuse everybody. A member that does not
   * answer says nothing.
   *
   * @throws GridException UNAUTHORIZED if members answered and none of them has the same secret, or
   *     if members ask for a secret and there is none here
   */
  public static void requireWelcome(HazelcastInstance hazelcast, Worker self, Proofs proofs) {
    List<Member> others = new ArrayList<>();
    List<Member> asking = new ArrayList<>();
    for (Member member : hazelcast.getCluster().getMembers()) {
      if (!member.getUuid().equals(self.incarnation()) && !member.isLiteMember()) {
        others.add(member);
        if (member.getAttribute(ATTRIBUTE) != null) {
          asking.add(member);
        }
      }
    }
    if (!proofs.areNeeded()) {
      if (!asking.isEmpty()) {
        throw refused("%s has no secret, but %s ask for one".formatted(self.name(), asking));
      }
    } else if (asking.isEmpty() && !others.isEmpty()) {
      throw refused("%s has a secret, but %s have none".formatted(self.name(), others));
    } else if (!asking.isEmpty() && !isWelcome(hazelcast, self, proofs, asking)) {
      throw refused("%s has another secret than %s".formatted(self.name(), asking));
    }
  }

  private static GridException refused(String why) {
    return new GridException(Status.UNAUTHORIZED, why + ": " + CallProofs.REMEDY);
  }

  private static boolean isWelcome(
      HazelcastInstance hazelcast, Worker self, Proofs proofs, List<Member> members) {
    IExecutorService executor = GridExecutor.CONTROL.of(hazelcast);
    CompletableFuture<Boolean> welcome = new CompletableFuture<>();
    List<CompletableFuture<Boolean>> refusals = new ArrayList<>();
    for (Member member : members) {
      byte[] question = question(self, member);
      EntryTask task = new EntryTask(question, proofs.of(Purpose.ENTRY, question));
      refusals.add(
          GridExecutor.submit(executor, task, member)
              .handleAsync(
                  (answer, failure) -> {
                    boolean isWelcome =
                        failure == null && proofs.accept(answer, Purpose.WELCOME, question);
                    if (isWelcome) {
                      welcome.complete(true);
                    }
                    return failure == null && !isWelcome;
                  },
                  Runnable::run));
    }
    var unused =
        CompletableFuture.allOf(refusals.toArray(CompletableFuture<?>[]::new))
            .whenComplete(
                (all, none) ->
                    welcome.complete(refusals.stream().noneMatch(CompletableFuture::join)));
    try {
      return welcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) { // Calls are checked in any case.
      return true;
    } catch (InterruptedException e) {
      throw ExceptionMapper.interrupted(e);
    } catch (ExecutionException e) {
      throw ExceptionMapper.of(e);
    }
  }

  /** Returns bytes that no other question to any member has. */
  private static byte[] question(Worker self, Member member) {
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    return new WireOutput(128)
        .uuid(member.getUuid())
        .utf(self.name())
        .int64(self.id())
        .uuid(self.incarnation())
        .bytes(nonce)
        .toBytes();
  }

  @Override
  public byte[] call() {
    Proofs proofs = Proofs.of(member());
    return proofs.areNeeded() && proofs.accept(proof, Purpose.ENTRY, question)
        ? proofs.of(Purpose.WELCOME, question)
        : REFUSED;
  }

  @Override
  public int getClassId() {
    return SerializerIds.ENTRY_TASK;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByteArray(question);
    out.writeByteArray(proof);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    question = Request.bytes(in);
    proof = Request.bytes(in);
  }
}
