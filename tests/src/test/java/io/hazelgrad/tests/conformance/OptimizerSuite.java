package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Adadelta;
import io.hazelgrad.autograd.optim.Adagrad;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.optim.AdamW;
import io.hazelgrad.autograd.optim.Adamax;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.RmsProp;
import io.hazelgrad.autograd.optim.Rprop;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of optimizers over the parameters of two other workers. */
@RemoteFunctions
class OptimizerSuite extends PeerSuite {
  /** Module with one weight, which is the same wherever it is created. */
  @RemoteFunctions
  static final class Module {
    private final Variable weight = Variable.parameter(random(1));

    Module() {}

    Variable forward(Variable x) {
      return weight.matmul(x);
    }

    Variable weight() {
      return weight;
    }
  }

  /** Optimizer that fails when it is created on an owner, or at a step. */
  @RemoteValue
  record Failing(double learningRate, boolean whenMade) implements Optimizer {
    @Override
    public State newState(Tensor parameter) {
      if (whenMade) {
        throw new IllegalArgumentException("Error creating optimizer.");
      }
      return new State() {
        @Override
        public Tensor step(Tensor value, Tensor gradient, double rate) {
          throw new IllegalArgumentException("Error running optimizer.");
        }

        @Override
        public Map<String, Tensor> export() {
          return Map.of();
        }

        @Override
        public void restore(Map<String, Tensor> exported) {}
      };
    }
  }

  private static Tensor random(long seed) {
    return Tensor.wrap(new Random(seed).doubles(9).toArray(), 3, 3);
  }

  private final Variable x = Variable.parameter(random(2));
  private final Variable y = Variable.parameter(random(3));

  /** Two modules on two workers, and references to their weights. */
  private record Modules(RRef<Module> first, RRef<Module> second, List<RRef<Variable>> parameters) {
    static Modules make() {
      RRef<Module> first = rrefs().remote(dst(), Module::new);
      RRef<Module> second = rrefs().remote(dst(2), Module::new);
      return new Modules(
          first, second, List.of(first.remote(Module::weight), second.remote(Module::weight)));
    }

    Tensor weight(RRef<Module> module) {
      return module.sync(Module::weight).value();
    }
  }

  /** Returns the loss of one module or of both. */
  private Variable loss(Modules modules, boolean both) {
    Variable one = Rpc.await(modules.first().async(Module::forward, y));
    Variable two = Rpc.await(modules.second().async(Module::forward, one));
    return (both ? two : one).add(x).sum();
  }

  private Variable localLoss(Module first, Module second, boolean both) {
    Variable one = first.forward(y);
    return (both ? second.forward(one) : one).add(x).sum();
  }

  private void oneStep(Optimizer kind, boolean both) {
    Module first = new Module();
    Module second = new Module();
    Tensor before = first.weight().value();
    LocalOptimizer local = LocalOptimizer.of(kind, List.of(first.weight(), second.weight()));
    localLoss(first, second, both).backward();
    local.step();

    Modules modules = Modules.make();
    try (DistributedOptimizer optimizer =
            DistributedOptimizer.create(access(), kind, modules.parameters());
        Context context = Autograd.on(access()).open()) {
      context.backward(loss(modules, both));
      assertThat(optimizer.step(context).changed()).isEqualTo(both ? 2 : 1);
      assertThat(modules.weight(modules.first()))
          .isEqualTo(first.weight().value())
          .isNotEqualTo(before);
      assertThat(modules.weight(modules.second())).isEqualTo(second.weight().value());
      assertThat(modules.weight(modules.second()).equals(before)).isEqualTo(!both);
    }
  }

  @Test
  @PeerTest("test_dist_optim")
  void stepMatchesLocalOptimizer() {
    List<Optimizer> kinds =
        List.of(
            Adagrad.defaults().withLearningRate(0.05),
            Adam.defaults().withLearningRate(1e-2).withAmsgrad(true),
            AdamW.defaults().withLearningRate(0.05).withAmsgrad(true),
            Sgd.of(0.05),
            Sgd.of(1e-3).withMomentum(1).withWeightDecay(1).withNesterov(true),
            Adadelta.defaults().withRho(0.95),
            RmsProp.defaults().withLearningRate(0.05),
            Adamax.defaults().withLearningRate(0.05),
            Rprop.defaults().withLearningRate(0.05));
    kinds.forEach(kind -> oneStep(kind, true));
  }

  @Test
  @PeerTest("test_dist_optim_none_grads")
  void stepSkipsParametersWithoutGradient() {
    List<Optimizer> kinds =
        List.of(
            Sgd.of(0.05),
            RmsProp.defaults().withLearningRate(0.05),
            Rprop.defaults().withLearningRate(0.05),
            Adadelta.defaults().withRho(0.95));
    kinds.forEach(kind -> oneStep(kind, false));
  }

  @Test
  @PeerTest("test_dist_optim_exception")
  void stepFailsWhenOptimizerThrows() {
    Modules modules = Modules.make();
    try (DistributedOptimizer optimizer =
            DistributedOptimizer.create(access(), new Failing(1, false), modules.parameters());
        Context context = Autograd.on(access()).open()) {
      context.backward(loss(modules, true));
      assertThat(fails(Status.USER_ERROR, "Error running optimizer", () -> optimizer.step(context)))
          .hasMessageContaining("parameter 0")
          .hasMessageContaining("worker " + dst());
    }
  }

  @Test
  @PeerTest("test_dist_optim_exception_on_constructor")
  void creationFailsWhenOptimizerThrows() {
    Modules modules = Modules.make();
    assertThat(
            fails(
                Status.USER_ERROR,
                "Error creating optimizer",
                () ->
                    DistributedOptimizer.create(
                        access(), new Failing(1, true), modules.parameters())))
        .hasMessageContaining("parameter 0")
        .hasMessageContaining("worker " + dst());
  }
}
