package io.hazelgrad.bench.inner;

import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.protocol.Registry;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures one step of the protocol of references, without the map around it. */
@State(Scope.Thread)
public class RegistryBenchmark {
  private static final long OWNER = 1;
  private static final long HOLDER = 2;
  private static final long THIRD = 3;
  private static final ForkId CREATOR = new ForkId(HOLDER, 1, 0);
  private static final ForkId CHILD = new ForkId(HOLDER, 2, 1);
  private static final int STEPS = 5;

  /** The number of other forks that the reference has. */
  @Param({"0", "10", "1000"})
  public int forks;

  private Entry shared = Entry.ABSENT;

  /** Makes the reference that {@link #share} shares. */
  @Setup
  public void prepare() {
    shared = created();
    for (int i = 0; i < forks; i++) {
      ForkId fork = new ForkId(HOLDER, 10 + i, 1);
      shared = Registry.apply(shared, new Command.Claim(CREATOR, fork, THIRD, OWNER)).entry();
    }
  }

  private static Entry created() {
    Entry expected =
        Registry.apply(Entry.ABSENT, new Command.Create(OWNER, CREATOR, HOLDER)).entry();
    Command resolve = new Command.Resolve(OWNER, RRefState.READY, null, null, 0);
    return Registry.apply(expected, resolve).entry();
  }

  /** Creates a reference, adds a fork and releases both: the time of each of the five steps. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public Object life() {
    Entry entry =
        Registry.apply(created(), new Command.Claim(CREATOR, CHILD, THIRD, OWNER)).entry();
    entry = Registry.apply(entry, new Command.Release(CREATOR)).entry();
    return Registry.apply(entry, new Command.Release(CHILD));
  }

  /** Adds a fork and releases it: the time of each of the two steps. */
  @Benchmark
  @OperationsPerInvocation(2)
  public Object share() {
    Entry entry = Registry.apply(shared, new Command.Claim(CREATOR, CHILD, THIRD, OWNER)).entry();
    return Registry.apply(entry, new Command.Release(CHILD));
  }
}
