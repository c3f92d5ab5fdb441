package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.RemoteModule;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The peer's examples that train, in a small size. */
@RemoteFunctions
class ExampleSuite extends PeerSuite {
  private static final int BATCH = 32;
  private static final int BATCHES = 22;

  private static Sequential network(int inputs, int width, int outputs, Init init) {
    return new Sequential(
        new Linear(inputs, width, init),
        Module.of(Variable::relu),
        new Linear(width, outputs, init));
  }

  /** Network of the server, which computes there and owns the parameters. */
  @RemoteFunctions
  static final class ServedNet extends Module<Variable, Variable> {
    private final Sequential layers;

    ServedNet(long seed) {
      layers = child("layers", network(Digits.PIXELS, 32, Digits.CLASSES, Init.seeded(seed)));
    }

    @Override
    public Variable forward(Variable x) {
      return layers.forward(x);
    }
  }

  /** Each worker is a trainer, and the next worker is its server. */
  @Test
  @PeerTest("test_parameter_server")
  void parameterServerLearnsDigits() {
    Digits digits = Digits.load(rank());
    try (RemoteModule<Variable, Variable> net =
        RemoteModule.create(access(), dst(), ServedNet::new, 1L)) {
      List<RRef<Variable>> parameters = net.parameterRRefs();
      Adam adam = Adam.defaults().withLearningRate(0.03);
      List<Double> losses = new ArrayList<>();
      try (DistributedOptimizer optimizer =
          DistributedOptimizer.create(access(), adam, parameters)) {
        for (int batch = 0; batch < BATCHES; batch++) {
          Digits part = digits.slice(batch * BATCH, BATCH);
          try (Context context = Autograd.on(access()).open()) {
            Variable loss = net.forward(Variable.of(part.pixels())).crossEntropy(part.labels());
            context.backward(loss);
            List<Tensor> there = rpc().sync(dst(), DifferentiationSuite::gradients);
            assertThat(there).hasSameSizeAs(parameters);
            assertThat(context.gradients()).as("all are at the server").isEmpty();
            assertThat(optimizer.step(context).changed()).isEqualTo(parameters.size());
            losses.add(loss.value().toDoubles()[0]);
          }
        }
      }
      for (int batch = 5; batch + 5 <= BATCHES; batch += 5) {
        assertThat(mean(losses, batch)).as("losses %s", losses).isLessThan(mean(losses, batch - 5));
      }
      Digits rest = digits.slice(BATCHES * BATCH, digits.size() - BATCHES * BATCH);
      Tensor scores = net.forward(Variable.of(rest.pixels())).value();
      assertThat(rest.accuracy(scores)).as("losses %s", losses).isGreaterThan(0.75);
    }
  }

  /**
   * Returns the mean of five losses: a single loss depends more on its batch than on the network.
   */
  private static double mean(List<Double> losses, int from) {
    return losses.subList(from, from + 5).stream()
        .mapToDouble(each -> each)
        .average()
        .orElseThrow();
  }

  /** Policy that learns from the episodes of all observers and chooses their actions. */
  @RemoteFunctions
  static final class Agent {
    private static final double DISCOUNT = 0.99;
    private static final int STATE = 4;
    private static final int ACTIONS = 2;

    private final Init init = Init.seeded(3).with(DType.FLOAT64);
    private final Sequential policy = network(STATE, 16, ACTIONS, init);
    private final LocalOptimizer optimizer =
        LocalOptimizer.of(Adam.defaults().withLearningRate(0.05), policy.parameters());

    /**
     * Episodes by observer, in their order, so that sums do not depend on the speed of the
     * observers.
     */
    private final Map<Integer, Episode> episodes = new TreeMap<>();

    /** States, actions and rewards of one observer. */
    private static final class Episode {
      final Random random;
      final List<Tensor> states = new ArrayList<>();
      final List<Integer> actions = new ArrayList<>();
      final List<Double> rewards = new ArrayList<>();

      Episode(int observer) {
        random = new Random(observer);
      }

      /** Returns, for each step, the discounted sum of the rewards from there on. */
      double[] returns() {
        double[] returns = new double[rewards.size()];
        double later = 0;
        for (int i = returns.length - 1; i >= 0; i--) {
          later = rewards.get(i) + DISCOUNT * later;
          returns[i] = later;
        }
        return returns;
      }

      double reward() {
        return rewards.stream().mapToDouble(Double::doubleValue).sum();
      }

      void clear() {
        states.clear();
        actions.clear();
        rewards.clear();
      }
    }

    /** Chooses the action of an observer. Called by observers. */
    synchronized int act(int observer, Tensor state) {
      Variable scores = NoGrad.within(() -> policy.forward(Variable.of(state)));
      double toTheRight = Math.exp(scores.logSoftmax(1).value().toDoubles()[1]);
      Episode episode = episodes.computeIfAbsent(observer, Episode::new);
      int action = episode.random.nextDouble() < toTheRight ? 1 : 0;
      episode.states.add(state);
      episode.actions.add(action);
      return action;
    }

    /** Takes the reward of an observer's last action. Called by observers. */
    synchronized void report(int observer, double reward) {
      episodes.computeIfAbsent(observer, Episode::new).rewards.add(reward);
    }

    /** Learns from one episode of each observer; returns the smallest of their rewards. */
    synchronized double learn() {
      double least = episodes.values().stream().mapToDouble(Episode::reward).min().orElseThrow();
      double[] advantages =
          standardised(
              episodes.values().stream()
                  .map(Episode::returns)
                  .flatMapToDouble(Arrays::stream)
                  .toArray());
      double[] states = new double[advantages.length * STATE];
      double[] weights = new double[advantages.length * ACTIONS];
      int step = 0;
      for (Episode episode : episodes.values()) {
        for (int i = 0; i < episode.states.size(); i++, step++) {
          double[] state = episode.states.get(i).toDoubles();
          System.arraycopy(state, 0, states, step * STATE, STATE);
          weights[step * ACTIONS + episode.actions.get(i)] = advantages[step];
        }
        episode.clear();
      }
      Variable chances =
          policy.forward(Variable.of(Tensor.wrap(states, step, STATE))).logSoftmax(1);
      chances.mul(Variable.of(Tensor.wrap(weights, step, ACTIONS))).sum().neg().backward();
      optimizer.step();
      optimizer.zeroGrad();
      return least;
    }

    /** Returns the values with the mean 0 and the standard deviation 1. */
    private static double[] standardised(double[] values) {
      double mean = Arrays.stream(values).average().orElseThrow();
      double variance =
          Arrays.stream(values).map(each -> (each - mean) * (each - mean)).average().orElseThrow();
      double spread = Math.sqrt(variance) + 1e-9;
      return Arrays.stream(values).map(each -> (each - mean) / spread).toArray();
    }
  }

  /** Cart with a pole that follows the actions of the agent. */
  @RemoteFunctions
  static final class Observer {
    private static final Function<@Nullable Void> REPORT = Function.action(Agent::report);

    private final int id;
    private final CartPole cart;

    Observer(int id) {
      this.id = id;
      this.cart = new CartPole(100L + id);
    }

    /** Plays until the pole falls; returns the number of steps. */
    int play(RRef<Agent> agent, int most) {
      double[] state = cart.reset();
      int steps = 0;
      while (steps < most && !cart.isOver()) {
        int action = agent.sync(Agent::act, id, Tensor.wrap(state, 1, Agent.STATE));
        state = cart.push(action);
        Object unused = agent.sync(REPORT, id, 1.0);
        steps++;
      }
      return steps;
    }
  }

  /** Random pushes keep the pole up for about twenty steps. */
  @Test
  @PeerTest("test_rl_rpc")
  @Tag("slow")
  void agentLearnsToBalancePole() {
    if (rank() > 0) {
      return; // The other workers are the observers.
    }
    List<Double> running = new ArrayList<>(List.of(0.0));
    try (RRef<Agent> agent = rrefs().remote(home(), Agent::new)) {
      List<RRef<Observer>> observers = new ArrayList<>();
      for (int i = 1; i < FourWorkers.COUNT; i++) {
        observers.add(rrefs().remote(FourWorkers.name(i), Observer::new, i));
      }
      while (last(running) < 60 && running.size() <= 100) {
        List<CompletableFuture<Integer>> episodes = new ArrayList<>();
        observers.forEach(each -> episodes.add(each.async(Observer::play, agent, 200)));
        int shortest = episodes.stream().mapToInt(Rpc::await).min().orElseThrow();
        double least = agent.sync(Agent::learn);
        assertThat(least).as("every step was reported").isEqualTo(shortest);
        running.add(0.8 * last(running) + 0.2 * least);
      }
      observers.forEach(RRef::close);
    }
    assertThat(last(running)).as("running rewards %s", running).isGreaterThanOrEqualTo(60);
  }

  private static double last(List<Double> values) {
    return values.get(values.size() - 1);
  }
}
