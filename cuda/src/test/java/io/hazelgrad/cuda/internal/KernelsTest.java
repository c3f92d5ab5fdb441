package io.hazelgrad.cuda.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The compiled kernels in the artifact. */
class KernelsTest {
  @Test
  void compiledKernelsAreThoseOfTheSource() throws Exception {
    byte[] source = Files.readAllBytes(Path.of("src", "main", "cuda", "kernels.cu"));
    String sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(source));
    assertThat(Gpus.kernels().getString().lines().findFirst())
        .as("kernels.ptx.gz, which compile.py makes, after each change of kernels.cu")
        .hasValue("// source " + sum);
  }
}
