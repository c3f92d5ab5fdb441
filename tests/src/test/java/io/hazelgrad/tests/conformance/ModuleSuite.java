package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.RemoteModule;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.io.ByteArrayOutputStream;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of modules on other workers. */
@RemoteFunctions
class ModuleSuite extends PeerSuite {
  /** Arguments of the module, which returns them in reverse order. */
  @RemoteValue
  record Triple(Object first, double second, Object third) {
    /** Returns arguments with the default word. */
    static Triple of(Tensor tensor, double number) {
      return new Triple(tensor, number, "default");
    }
  }

  /** The peer's module. */
  @RemoteFunctions
  static final class Reversing extends Module<Triple, List<Object>> {
    Reversing(double first) {
      Variable unused = parameter("param1", Tensor.wrap(new double[] {first}, 1));
    }

    @Override
    public List<Object> forward(Triple in) {
      return List.of(in.third(), in.second(), in.first());
    }
  }

  /** Class that is no module. */
  @RemoteFunctions
  static final class Bad {
    Bad(double first) {
      assertThat(first).isNotNaN();
    }
  }

  private static final Triple IN = new Triple(Tensor.wrap(new double[] {1}, 1), 2, "3");
  private static final List<Object> OUT = List.of("3", 2.0, IN.first());

  /** Creates the module on the next worker, which the peer addresses in two ways. */
  private static List<RemoteModule<Triple, List<Object>>> made() {
    return List.of(
        RemoteModule.create(access(), dst(), Reversing::new, 1.0),
        RemoteModule.create(access(), dst() + "/cpu", Reversing::new, 1.0));
  }

  // A wrong cast, as a user might make it.
  @SuppressWarnings("unchecked")
  private static RRef<Reversing> noModule(RRef<?> rref) {
    return (RRef<Reversing>) rref;
  }

  @Test
  @PeerTest("test_bad_module")
  void remoteModuleFailsWhenObjectIsNoModule() {
    try (RRef<Bad> bad = rrefs().remote(dst(), Bad::new, 1.0)) {
      RemoteModule<Triple, List<Object>> module = RemoteModule.of(noModule(bad));
      fails(Status.BAD_ARGUMENT, "Module", () -> module.forward(IN));
      fails(Status.BAD_ARGUMENT, "Module", module::eval);
      fails(Status.BAD_ARGUMENT, "Module", module::parameterRRefs);
    }
  }

  @Test
  @PeerTest("test_forward_async")
  void forwardCompletesFuture() {
    made().forEach(each -> assertThat(Rpc.await(each.forwardAsync(IN))).isEqualTo(OUT));
  }

  @Test
  @PeerTest("test_forward_sync")
  void forwardReturnsResult() {
    made().forEach(each -> assertThat(each.forward(IN)).isEqualTo(OUT));
  }

  /** Defaults of arguments belong to the class of the arguments. */
  @Test
  @PeerTest("test_forward_with_kwargs")
  void forwardUsesDefaultsOfItsArguments() {
    for (RemoteModule<Triple, List<Object>> module : made()) {
      Triple in = Triple.of((Tensor) IN.first(), 2);
      assertThat(module.forward(in)).isEqualTo(List.of("default", 2.0, in.first()));
      assertThat(Rpc.await(module.forwardAsync(IN))).isEqualTo(OUT);
    }
  }

  @Test
  @PeerTest("test_remote_parameters")
  void parametersAreReferencesToOwner() {
    for (RemoteModule<Triple, List<Object>> module : made()) {
      List<RRef<Variable>> parameters = module.parameterRRefs();
      assertThat(parameters).hasSize(1);
      assertThat(parameters.get(0).owner().name()).isEqualTo(dst());
      assertThat(parameters.get(0).toHere().value().toDoubles()).containsExactly(1);
    }
  }

  @Test
  @PeerTest("test_get_module_rref")
  void moduleGivesItsReference() {
    for (RemoteModule<Triple, List<Object>> module : made()) {
      assertThat(module.reference().owner()).isEqualTo(module.owner());
      assertThat(module.owner().name()).isEqualTo(dst());
      Map<String, Tensor> state = module.reference().sync(Module::state);
      assertThat(state).isEqualTo(module.state());
      assertThat(state.get("param1").toDoubles()).containsExactly(1);
    }
  }

  @Test
  @PeerTest("test_train_eval")
  void trainAndEvalSetModeOnOwner() {
    for (RemoteModule<Triple, List<Object>> module : made()) {
      module.train();
      assertThat(module.reference().<Boolean>sync(Module::isTraining)).isTrue();
      module.eval();
      assertThat(module.reference().<Boolean>sync(Module::isTraining)).isFalse();
    }
  }

  /** Uses a module that it received. */
  static List<Object> forward(RemoteModule<Triple, List<Object>> module, String owner) {
    assertThat(module.owner().name()).isEqualTo(owner);
    assertThat(module.device()).isEqualTo(Device.CPU);
    return module.forward(IN);
  }

  @Test
  @PeerTest("test_send_remote_module_over_the_wire")
  void moduleTravelsToWorkerAndBack() {
    for (RemoteModule<Triple, List<Object>> module : made()) {
      assertThat(
              rpc()
                  .<RemoteModule<Triple, List<Object>>, String, List<Object>>sync(
                      dst(2), ModuleSuite::forward, module, dst()))
          .isEqualTo(OUT);
      assertThat(
              rpc()
                  .<RemoteModule<Triple, List<Object>>, RemoteModule<Triple, List<Object>>>sync(
                      dst(2), ModuleSuite::sameModule, module)
                  .forward(IN))
          .isEqualTo(OUT);
    }
  }

  /** Returns the module that it received. */
  static RemoteModule<Triple, List<Object>> sameModule(RemoteModule<Triple, List<Object>> module) {
    return module;
  }

  @Test
  @PeerTest("test_remote_module_py_pickle_not_supported")
  void moduleIsNotSerializable() throws Exception {
    for (RemoteModule<Triple, List<Object>> module : made()) {
      try (ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream())) {
        assertThatThrownBy(() -> out.writeObject(module))
            .isInstanceOf(NotSerializableException.class);
      }
    }
  }

  /** Creates a module from a reference that it received. */
  static RemoteModule<Triple, List<Object>> another(RRef<Reversing> reference) {
    return RemoteModule.of(reference);
  }

  @Test
  @PeerTest("test_create_remote_module_from_module_rref")
  void moduleIsMadeFromReference() {
    try (RRef<Reversing> made = rrefs().remote(dst(), Reversing::new, 1.0)) {
      RemoteModule<Triple, List<Object>> first = RemoteModule.of(made);
      RemoteModule<Triple, List<Object>> second = rpc().sync(dst(2), ModuleSuite::another, made);
      assertThat(second.reference().id()).isEqualTo(made.id());
      assertThat(second.forward(IN)).isEqualTo(first.forward(IN)).isEqualTo(OUT);
    }
  }

  @Test
  @PeerTest("test_valid_device")
  void moduleIsOnCpuOfItsWorker() {
    for (RemoteModule<Triple, List<Object>> module : made()) {
      assertThat(module.owner().name()).isEqualTo(dst());
      assertThat(module.device()).isEqualTo(Device.CPU);
    }
  }

  @Test
  @PeerTest("test_invalid_devices")
  void moduleIsRefusedWhenDeviceIsInvalid() {
    invalid(Status.BAD_ARGUMENT, dst() + "/foo", "foo");
    invalid(Status.BAD_ARGUMENT, dst() + "/gpu:1000", "gpu:1000");
    invalid(Status.BAD_ARGUMENT, dst() + "/gpu:0", "has no device gpu:0");
    invalid(Status.BAD_ARGUMENT, dst() + "/", "cpu, gpu:n or sim:n");
    invalid(Status.BAD_ARGUMENT, dst() + "/cpu/gpu:0", "cpu/gpu:0");
    invalid(Status.BAD_ARGUMENT, "/cpu", "names no worker");
    invalid(Status.UNKNOWN_WORKER, "cpu2", "cpu2");
    invalid(Status.UNKNOWN_WORKER, "nobody/gpu:0", "nobody");
  }

  private static void invalid(Status status, String on, String named) {
    fails(status, named, () -> RemoteModule.create(access(), on, Reversing::new, 1.0));
  }

  /** Gradients in a context equal those without one, also when a module is on another worker. */
  @Test
  @PeerTest("test_ddp_dist_autograd_local_vs_remote")
  void gradientsMatchLocalOnesForModuleOnAnyWorker() {
    Init init = Init.seeded(5);
    Tensor x = init.normal(0, 1, 10, 10);
    for (String on : List.of(home(), dst(), dst(2) + "/cpu")) {
      Linear first = new Linear(10, 5, false, Init.seeded(1));
      Linear second = new Linear(5, 1, Init.seeded(2));
      second.forward(first.forward(Variable.of(x))).sum().backward();
      RemoteModule<Variable, Variable> there =
          RemoteModule.create(access(), on, Linear::new, 10, 5, false, Init.seeded(1));
      try (Context context = Autograd.on(access()).open()) {
        context.backward(second.forward(there.forward(Variable.of(x))).sum());
        second.parameters().forEach(p -> assertThat(context.gradient(p)).isEqualTo(p.grad()));
        RRef<Variable> weight = there.parameterRRefs().get(0);
        assertThat(weight.sync(Function.of(ModuleSuite::gradient)))
            .isEqualTo(first.parameters().get(0).grad());
      }
    }
  }

  /** Returns the gradient of a leaf of this worker. */
  static Tensor gradient(Variable leaf) {
    return Autograd.on(grid()).current().gradient(leaf);
  }
}
