package io.hazelgrad.autograd.internal.jobs.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.MemberLeftException;
import com.hazelcast.jet.JetException;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.RestartableException;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.core.AbstractProcessor;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.jet.core.TopologyChangedException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Collection;
import java.util.Collections;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of the text by which Jet tells why it has suspended a job. */
final class SuspensionTest {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static HazelcastInstance member;
  private static volatile Supplier<RuntimeException> failure = IllegalStateException::new;

  @BeforeAll
  static void start() {
    Config config = new Config().setClusterName("suspension-" + UUID.randomUUID());
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.partition.count", "7");
    config.getJetConfig().setEnabled(true).setCooperativeThreadCount(1);
    config.getNetworkConfig().setPort(0).getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    member = Hazelcast.newHazelcastInstance(config);
  }

  @AfterAll
  static void stop() {
    member.shutdown();
  }

  /** Has a job fail. It is a class, since the filter of test JVMs refuses lambdas. */
  private static final class Failing implements ProcessorSupplier {
    private static final long serialVersionUID = 1L;

    @Override
    public Collection<? extends Processor> get(int count) {
      return Collections.nCopies(
          count,
          new AbstractProcessor() {
            @Override
            public boolean complete() {
              throw failure.get(); // It does not travel: not every failure can be read again.
            }
          });
    }
  }

  /** Has a job fail before it has a processor. */
  private static final class Unable implements ProcessorSupplier {
    private static final long serialVersionUID = 1L;

    @Override
    public Collection<? extends Processor> get(int count) {
      throw failure.get();
    }
  }

  /** Returns the text of Jet for a job whose processor failed. */
  private static String trace(Supplier<RuntimeException> thrown) {
    return trace(new Failing(), thrown);
  }

  private static String trace(ProcessorSupplier processors, Supplier<RuntimeException> thrown) {
    failure = thrown;
    DAG dag = new DAG();
    dag.newVertex("failing", processors).localParallelism(1);
    JobConfig config = new JobConfig().setAutoScaling(false).setSuspendOnFailure(true);
    Job job = member.getJet().newJob(dag, config);
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try {
        return job.getSuspensionCause().errorCause();
      } catch (IllegalStateException notYet) {
        assertThat(System.nanoTime()).as("the job is %s", job.getStatus()).isLessThan(end);
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  @Test
  void lossesAreToldFromFailures() {
    assertThat(Suspension.isLoss(trace(() -> new TopologyChangedException("b has left")))).isTrue();
    assertThat(Suspension.isLoss(trace(() -> new JetException(new RestartableException("no b")))))
        .isTrue();
    assertThat(Suspension.isLoss(trace(() -> new JetException("in a", new MemberLeftException()))))
        .isTrue();
    assertThat(Suspension.isLoss(trace(() -> new JetException("in a", new ArithmeticException()))))
        .isFalse();
  }

  @Test
  void textIsThatOfTheFailureAlone() {
    Supplier<RuntimeException> thrown =
        () -> new JetException("source s\nsaves nothing", new ArithmeticException());
    assertThat(Suspension.text(trace(thrown))).isEqualTo("source s\nsaves nothing");
  }

  @Test
  void textOfFailureBeforeTheStartBeginsWithItsStatus() {
    Supplier<RuntimeException> thrown = () -> new GridException(Status.BAD_VALUE, "lacks a piece");
    assertThat(Suspension.text(trace(new Unable(), thrown))).isEqualTo("BAD_VALUE: lacks a piece");
  }
}
