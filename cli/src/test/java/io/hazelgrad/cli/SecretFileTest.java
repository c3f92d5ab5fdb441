package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.launcher.LocalCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands that connect to a running grid prove that they have its secret. */
@Timeout(120)
class SecretFileTest {
  @Test
  void commandConnectsOnlyWithSecretFile(@TempDir Path folder) throws Exception {
    Path right = Files.writeString(folder.resolve("right"), "the secret of this test");
    Path wrong = Files.writeString(folder.resolve("wrong"), "another secret than that");
    LocalCluster.Spec spec =
        LocalCluster.Spec.of(List.of("A"))
            .withJvmOptions(List.of("-Dhazelgrad.secret.file=" + right));
    try (LocalCluster cluster = LocalCluster.start(spec)) {
      CommandRun with =
          CommandRun.against(cluster, "status", "--json", "--secret-file", right.toString());
      assertThat(with.err()).isEmpty();
      assertThat(with.code()).isZero();
      assertThat(with.out()).contains("\"A\"");

      CommandRun other =
          CommandRun.against(cluster, "status", "--json", "--secret-file", wrong.toString());
      assertThat(other.code()).isNotZero();
      assertThat(other.err()).contains("has another secret than").contains("--secret-file");

      CommandRun lost =
          CommandRun.against(cluster, "force-leave", "--secret-file", right.toString());
      assertThat(lost.out()).isEqualTo("no worker is missed%n".formatted());
      CommandRun refused =
          CommandRun.against(cluster, "force-leave", "--secret-file", wrong.toString());
      assertThat(refused.code()).isNotZero();
      assertThat(refused.err()).contains("refuses the secret").contains("--secret-file");

      CommandRun why = CommandRun.against(cluster, "why", "--secret-file", right.toString());
      assertThat(why.err()).isEmpty();
      assertThat(why.code()).isZero();
      CommandRun unanswered = CommandRun.against(cluster, "why", "--secret-file", wrong.toString());
      assertThat(unanswered.code()).isNotZero();
      assertThat(unanswered.err()).contains("refuses the secret").contains("--secret-file");

      CommandRun without = CommandRun.against(cluster, "status", "--json");
      assertThat(without.code()).isNotZero();
      assertThat(without.err()).contains("has no secret");
    }
  }
}
