package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.files.Npy;
import io.hazelgrad.autograd.files.Npz;
import io.hazelgrad.autograd.files.SafeTensors;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.onnx.OnnxModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command export on files. */
public final class ExportCommandTest {
  @TempDir private Path folder;

  private Path state;

  /** Makes the module that the command exports. */
  public static Module<Variable, Variable> network() {
    Init init = Init.seeded(1);
    return new Sequential(new Linear(4, 3, init), Module.of(Variable::relu));
  }

  private Path file(String name) {
    return folder.resolve(name);
  }

  @BeforeEach
  void writeState() throws Exception {
    state = file("state.safetensors");
    SafeTensors.of(network().state()).write(state);
  }

  @Test
  void exportWritesOtherFormats() throws Exception {
    assertThat(CommandRun.of("export", "" + state, "" + file("x.npz")).code()).isZero();
    assertThat(Npz.read(file("x.npz"))).isEqualTo(network().state());
    Npy.write(file("x.npy"), network().state().get("0.bias"));
    assertThat(CommandRun.of("export", "" + file("x.npy"), "" + file("y.safetensors")).code())
        .isZero();
    assertThat(SafeTensors.read(file("y.safetensors")).tensors())
        .isEqualTo(Map.of("array", network().state().get("0.bias")));
    CommandRun several = CommandRun.of("export", "" + state, "" + file("z.npy"));
    assertThat(several.code()).isEqualTo(2);
    assertThat(several.err()).contains("has one array, but there are 2");
  }

  @Test
  void exportWritesAModelWhenGivenAModule() throws Exception {
    Path target = file("x.onnx");
    String module = ExportCommandTest.class.getName() + "::network";
    CommandRun run =
        CommandRun.of("export", "" + state, "" + target, "--module", module, "--shape", "1,4");
    assertThat(run.code()).as(run.err()).isZero();
    OnnxModel model = OnnxModel.read(target);
    assertThat(model.parameters()).containsOnlyKeys("0.weight", "0.bias");
    CommandRun shown = CommandRun.of("export", "" + target);
    assertThat(shown.out().lines())
        .containsExactlyInAnyOrder(
            "input  input FLOAT32 [-1, 4]",
            "output output FLOAT32 [-1, 3]",
            "tensor 0.weight FLOAT32 [3, 4]",
            "tensor 0.bias FLOAT32 [3]");
  }

  @Test
  void exportFailsWithTheReasonWhenAFileOrNameIsWrong() throws Exception {
    isRefused("must end in .safetensors", "" + state, "" + file("x.pt"));
    isRefused("--module and --shape are missing", "" + state, "" + file("x.onnx"));
    isRefused(
        "is no public static method",
        "" + state,
        "" + file("x.onnx"),
        "--module=no.Such::method",
        "--shape=1,4");
    Files.writeString(file("bad.onnx"), "no model");
    isRefused("is damaged", "" + file("bad.onnx"));
    isRefused("none.npz", "" + file("none.npz"));
  }

  private void isRefused(String reason, String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "export";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    CommandRun run = CommandRun.of(all);
    assertThat(run.code()).as(run.out()).isEqualTo(2);
    assertThat(run.err()).contains(reason);
  }
}
