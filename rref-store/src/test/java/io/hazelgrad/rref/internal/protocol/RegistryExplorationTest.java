package io.hazelgrad.rref.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.rref.internal.protocol.Command.Adopt;
import io.hazelgrad.rref.internal.protocol.Command.Claim;
import io.hazelgrad.rref.internal.protocol.Command.Create;
import io.hazelgrad.rref.internal.protocol.Command.HolderLost;
import io.hazelgrad.rref.internal.protocol.Command.Keep;
import io.hazelgrad.rref.internal.protocol.Command.OwnerLost;
import io.hazelgrad.rref.internal.protocol.Command.Release;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import io.hazelgrad.rref.internal.protocol.Command.Restore;
import io.hazelgrad.rref.internal.protocol.Command.ValueLost;
import io.hazelgrad.rref.internal.protocol.Explorer.Guard;
import io.hazelgrad.rref.internal.protocol.Explorer.Step;
import io.hazelgrad.rref.internal.protocol.Explorer.World;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every order of the commands of one RRef: A calls B to make an object, hands it to C, and C hands
 * it on. Each command may come twice, late, and before its cause; A, B and C may die at any time.
 */
class RegistryExplorationTest {
  private static final long A = 1;
  private static final long B = 2;
  private static final long C = 3;
  private static final long D = 4;

  private static final ForkId OF_A = ForkId.of(A, 1);
  private static final ForkId OF_C = ForkId.of(A, 2);
  private static final ForkId GRANDCHILD = ForkId.of(C, 1);
  private static final ForkId KEEPER = ForkId.of(B, 1);

  private static final Guard ALWAYS = world -> true;

  @Test
  void registryIsExactInEveryOrder() {
    exploreSharing(A, false);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1, true", "2, true", "2, false"})
  void registryIsExactInEveryOrderOfTheOtherPairs(long grandHolder, boolean patient) {
    exploreSharing(grandHolder, patient);
  }

  /** Explores with a holder of the grandchild, and with senders that wait or not. */
  private static void exploreSharing(long grandHolder, boolean patient) {
    Explorer explorer =
        new Explorer(creationAndSharing(grandHolder, patient), List.of(OF_A, OF_C, GRANDCHILD));

    explorer.explore(
        (before, command, result) -> {
          invariants(before, command, result);
          endsWithItsHolders(result.entry());
        },
        (before, step, reply, after) -> {
          livesOnce(before, after, OF_A, "A releases", "A dies");
          livesOnce(before, after, OF_C, "C releases", "C dies");
          livesOnce(
              before, after, GRANDCHILD, "grandchild", grandHolder == A ? "A dies" : "B dies");
          endsWithItsReleases(step, reply, after);
          if (patient) {
            answersThePatient(before, step, reply);
          }
        });

    report(explorer, "grandchild of " + grandHolder + ", patient " + patient);
    assertThat(explorer.worlds()).isGreaterThan(1_000_000);
  }

  /** The entry lay on a partition that was lost, and its holders and its owner make it anew. */
  @Test
  void registryIsExactInEveryOrderAfterLostPartition() {
    Explorer explorer = new Explorer(recovery(), List.of(OF_A, OF_C, GRANDCHILD, KEEPER));

    explorer.explore(
        RegistryExplorationTest::invariants,
        (before, step, reply, after) -> {
          livesOnce(before, after, OF_A, "A releases", "-");
          livesOnce(before, after, OF_C, "C releases", "-");
          livesOnce(before, after, GRANDCHILD, "grandchild", "-");
          boolean open = !after.arrived("A releases") || !after.arrived("C releases");
          RRefState state = after.entry().state();
          check(!open || state != RRefState.GONE, "no premature drop");
          if (step.name().equals("C hands on") && !before.arrived(step.name())) {
            // Also if C's own handle is not restored yet.
            check(reply.isOk(), "who holds a handle may hand it on");
          }
          boolean over = after.arrived("keeper") && after.arrived("grandchild");
          check(open || !over || state == RRefState.GONE, "nothing is left after the last release");
        });

    report(explorer, "after a lost partition");
    assertThat(explorer.worlds()).isGreaterThan(100_000);
  }

  /** The object is durable: its owner dies, others take it on, one of them dies too. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void registryIsExactInEveryOrderOfAdoptions(boolean valueIsStored) {
    Explorer explorer = new Explorer(adoptions(valueIsStored), List.of(OF_A, OF_C));

    explorer.explore(
        (before, command, result) -> {
          invariants(before, command, result);
          endsWithItsHolders(result.entry());
        },
        (before, step, reply, after) -> {
          livesOnce(before, after, OF_A, "A releases", "-");
          livesOnce(before, after, OF_C, "C releases", "-");
          boolean both = after.accepted("C adopts") && after.accepted("D adopts");
          check(!both, "one adopts");
          RRefState state = after.entry().state();
          boolean wasDurable = before.entry().epoch() != Entry.NOT_DURABLE;
          check(
              !wasDurable || !valueIsStored || state != RRefState.LOST,
              "what is stored is not lost");
          if (after.arrived("A releases") && after.arrived("C releases")) {
            check(after.entry().mayExpire(), "nothing is left after the last release");
          }
        });

    report(explorer, "adoptions, value stored " + valueIsStored);
    assertThat(explorer.worlds()).isGreaterThan(50_000);
  }

  private static List<Step> adoptions(boolean valueIsStored) {
    List<Step> steps = new ArrayList<>();
    steps.add(new Step("create", new Create(B, OF_A, A), ALWAYS));
    steps.add(new Step("ready", new Resolve(B, RRefState.READY, "T", null, 0, 1), started()));
    steps.add(new Step("C claims", new Claim(OF_A, OF_C, C, B), ALWAYS));
    steps.add(new Step("A releases", new Release(OF_A), after("C claims")));
    steps.add(new Step("C releases", new Release(OF_C), after("C claims")));
    steps.add(new Step("B is lost", new OwnerLost(B), ALWAYS));
    steps.add(new Step("C adopts", new Adopt(1, C), after("B is lost")));
    steps.add(new Step("D adopts", new Adopt(1, D), after("B is lost")));
    steps.add(new Step("C is lost", new OwnerLost(C), after("C adopts")));
    steps.add(new Step("D adopts then", new Adopt(2, D), after("C is lost")));
    if (!valueIsStored) {
      steps.add(new Step("no value", new ValueLost(1), after("B is lost")));
    }
    return steps;
  }

  private static void report(Explorer explorer, String title) {
    System.out.printf(
        "%s: %,d worlds, %,d entries%n", title, explorer.worlds(), explorer.entries());
  }

  private static List<Step> creationAndSharing(long grandHolder, boolean patient) {
    // G2: a patient sender lets its own handle go only when it knows what became of the child.
    Guard childKnown = patient ? after("C claims") : ALWAYS;
    // C's function runs only after the claim; it may never hand on, but not after it let go.
    Guard mayHandOn =
        world -> world.accepted("C claims") && !(patient && world.arrived("C releases"));
    List<Step> steps = new ArrayList<>();
    steps.add(new Step("create", new Create(B, OF_A, A), ALWAYS));
    steps.add(new Step("ready", new Resolve(B, RRefState.READY, "T", null, 0), started()));
    steps.add(new Step("timeout", new Resolve(B, RRefState.TIMED_OUT, null, OF_A, A), ALWAYS));
    steps.add(new Step("C claims", new Claim(OF_A, OF_C, C, B), ALWAYS));
    steps.add(new Step("handed on", new Claim(OF_C, GRANDCHILD, grandHolder, B), mayHandOn));
    steps.add(new Step("A releases", new Release(OF_A), childKnown));
    steps.add(new Step("C releases", new Release(OF_C), childKnown));
    steps.add(
        new Step("grandchild", new Release(GRANDCHILD), patient ? after("handed on") : ALWAYS));
    steps.add(new Step("A dies", new HolderLost(A), ALWAYS));
    steps.add(new Step("C dies", new HolderLost(C), ALWAYS));
    steps.add(new Step("B's objects die", new OwnerLost(B), ALWAYS));
    if (grandHolder == B) {
      steps.add(new Step("B dies", new HolderLost(B), ALWAYS));
    }
    return steps;
  }

  private static List<Step> recovery() {
    Guard keeperIsIn = world -> world.accepted("B keeps");
    Guard roundIsOver =
        world ->
            world.arrived("ready again")
                && (world.arrived("A restores") || world.arrived("A releases"))
                && (world.arrived("C restores") || world.arrived("C releases"));
    return List.of(
        new Step("A restores", new Restore(OF_A, A, B), ALWAYS),
        new Step("C restores", new Restore(OF_C, C, B), ALWAYS),
        new Step("B keeps", new Keep(KEEPER, B), ALWAYS),
        new Step("ready again", new Resolve(B, RRefState.READY, "T", KEEPER, B), keeperIsIn),
        new Step("keeper", new Release(KEEPER), roundIsOver),
        new Step("late create", new Create(B, OF_A, A), keeperIsIn),
        new Step("late claim", new Claim(OF_A, OF_C, C, B), ALWAYS),
        new Step("C hands on", new Claim(OF_C, GRANDCHILD, A, B), ALWAYS),
        new Step("A releases", new Release(OF_A), ALWAYS),
        new Step("C releases", new Release(OF_C), after("C hands on")),
        new Step("grandchild", new Release(GRANDCHILD), after("C hands on")));
  }

  private static Guard after(String step) {
    return world -> world.arrived(step);
  }

  private static Guard started() {
    return world -> world.accepted("create");
  }

  /** What holds for every command on every entry. */
  static void invariants(Entry was, Command command, Registry.Result result) {
    Entry is = result.entry();
    check(result.changed() == !was.equals(is), "changed tells the truth");
    check(result.reply().state() == is.state(), "the reply tells the state");

    Registry.Result again = Registry.apply(is, command);
    check(!again.changed(), "a second copy changes nothing");
    boolean ok = result.reply().isOk();
    check(ok == again.reply().isOk(), "a second copy is answered alike");

    check(was.state() != RRefState.GONE || is.state() == RRefState.GONE, "gone stays gone");
    boolean over = is.state() == RRefState.LOST || is.state() == RRefState.GONE;
    check(was.state() != RRefState.LOST || over, "lost stays lost");
    boolean decided = was.state().isCreated() && is.state().isLive();
    boolean orphaned = is.state() == RRefState.ORPHANED && is.epoch() > Entry.NOT_DURABLE;
    boolean same = was.state() == is.state() || (was.state() == RRefState.READY && orphaned);
    check(!decided || same, "the first outcome holds");
    check(is.state() != RRefState.ORPHANED || orphaned, "only what is durable is orphaned");

    boolean adopted = is.state() == RRefState.READY && was.state() == RRefState.ORPHANED;
    boolean lives = was.state() == RRefState.READY || was.state() == RRefState.ORPHANED;
    check(!lives || is.epoch() == was.epoch() + (adopted ? 1 : 0), "adoptions count the owners");
    check(!lives || adopted || is.owner() == was.owner(), "only an adoption changes the owner");

    boolean kept = is.state().isLive() || is.state() == RRefState.LOST;
    check(!kept || !is.forks().isEmpty(), "what is live or lost has a fork");
    check(is.state() != RRefState.GONE || is.forks().isEmpty(), "what is gone has none");
    for (ForkId fork : is.released().newestLast()) {
      check(!is.forks().contains(fork), "what is over is not live");
    }
  }

  /** A fork is live until it is released or its holder dies, not longer, and never again. */
  private static void livesOnce(
      World before, World after, ForkId fork, String release, String death) {
    boolean released = after.arrived(release);
    boolean live = after.entry().forks().contains(fork);
    boolean wasLive = before.entry().forks().contains(fork);
    check(!released || !live, "a released fork is not live");
    check(!live || wasLive || !before.lived(fork), "a fork lives once");
    boolean ended = released || after.arrived(death);
    check(!after.lived(fork) || ended || live, "no premature drop");
  }

  private static void endsWithItsReleases(Step step, CommandReply reply, World world) {
    if (world.arrived("A releases") && world.arrived("C releases") && world.arrived("grandchild")) {
      check(world.entry().mayExpire(), "nothing is left after the last release");
      boolean started = step.name().equals("create") && reply.isOk();
      check(!started, "work that nobody waits for is not started");
    }
  }

  private static void endsWithItsHolders(Entry entry) {
    for (long dead : new long[] {A, B, C}) {
      entry = Registry.apply(entry, new HolderLost(dead)).entry();
      check(!entry.forks().holders().contains(dead), "the dead hold nothing");
    }
    check(
        entry.mayExpire() || entry.state() == RRefState.ABSENT,
        "nothing is left when all are dead");
  }

  /** Without a death, what a patient sender hands on always arrives. */
  private static void answersThePatient(World before, Step step, CommandReply reply) {
    boolean deaths =
        before.arrived("A dies")
            || before.arrived("B dies")
            || before.arrived("C dies")
            || before.arrived("B's objects die");
    if (step.command() instanceof Claim && !before.arrived(step.name()) && !deaths) {
      check(reply.isOk(), "a claim of a pinned handle is never refused");
    }
  }

  // Not an AssertJ assertion: it runs many million times.
  private static void check(boolean holds, String invariant) {
    if (!holds) {
      throw new AssertionError(invariant);
    }
  }
}
