package io.hazelgrad.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.jobs.IdxFile;
import io.hazelgrad.launcher.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of pictures: right ones, and all ways in which they can be wrong. */
final class IdxTest {
  @TempDir private Path folder;

  private Path images;
  private Path labels;

  @BeforeEach
  void write() throws IOException {
    IdxFiles.write(folder, 6, 4);
    images = folder.resolve("train-images-idx3-ubyte");
    labels = folder.resolve("train-labels-idx1-ubyte.gz");
  }

  @Test
  void plainAndCompressedFilesHaveSameContent() throws IOException {
    byte[] content = IdxFiles.bytes(new int[] {2, 3}, new byte[] {1, 2, 3, 4, 5, (byte) 255});
    Path plain = Files.write(folder.resolve("plain"), content);
    Path compressed = IdxFiles.compress(folder.resolve("compressed"), content);
    for (Path file : new Path[] {plain, compressed}) {
      IdxFile read = IdxFile.read(file, 2);
      assertThat(read.shape()).containsExactly(2, 3);
      assertThat(read.data()).containsExactly(1, 2, 3, 4, 5, 255);
    }
  }

  @Test
  void picturesAreBetweenZeroAndOne() {
    Mnist read = Mnist.read(folder);
    assertThat(read.training().size()).isEqualTo(6);
    assertThat(read.heldOut().size()).isEqualTo(4);
    assertThat(read.training().pixels().shape()).containsExactly(6, 1, 28, 28);
    assertThat(read.training().pixels().toFloats()).contains(0f, 1f);
    assertThat(read.training().labels().toLongs()).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void everyCutIsNoticed() throws IOException {
    byte[] whole = Files.readAllBytes(images);
    for (int length : new int[] {0, 1, 3, 4, 9, 15, 16, 17, whole.length / 2, whole.length - 1}) {
      Files.write(images, Arrays.copyOf(whole, length));
      assertWrong("train-images-idx3-ubyte is cut");
    }
  }

  @Test
  void everyCutOfCompressedFileIsNoticed() throws IOException {
    byte[] whole = Files.readAllBytes(labels);
    for (int length : new int[] {2, 9, 12, whole.length - 9, whole.length - 1}) {
      Files.write(labels, Arrays.copyOf(whole, length));
      assertWrong("train-labels-idx1-ubyte.gz is cut");
    }
  }

  @Test
  void damagedCompression() throws IOException {
    byte[] whole = Files.readAllBytes(labels);
    whole[whole.length - 6] ^= 1; // Within the checksum.
    Files.write(labels, whole);
    assertWrong("train-labels-idx1-ubyte.gz is damaged");
  }

  @Test
  void furtherBytes() throws IOException {
    byte[] whole = Files.readAllBytes(images);
    Files.write(images, Arrays.copyOf(whole, whole.length + 1));
    assertWrong("has more than the 4704 bytes");
  }

  @Test
  void otherFiles() throws IOException {
    Files.writeString(images, "pictures are elsewhere");
    assertWrong("is no IDX file of bytes: it begins with 706963, not 000008");
    Files.write(images, new byte[] {0, 0, 13, 3, 0, 0, 0, 1}); // Of floats.
    assertWrong("begins with 00000d");
    Files.copy(labels, folder.resolve("train-images-idx3-ubyte.gz"));
    Files.delete(images);
    assertWrong("has 1 dimensions, but 3 are needed");
  }

  @Test
  void falseHeaderAllocatesNothing() throws IOException {
    int[][] lies = {{1 << 30, 28, 28}, {-1, 28, 28}, {0, 28, 28}, {1 << 16, 1 << 15, 2}};
    for (int[] lie : lies) {
      Files.write(images, IdxFiles.bytes(lie, new byte[100]));
      assertWrong("wrong extents");
    }
    Files.write(images, IdxFiles.bytes(new int[] {1 << 20, 28, 28}, new byte[100]));
    assertWrong("is cut: it has 100 of 822083584 bytes");
  }

  @Test
  void filesAreRefusedWhenTheyDoNotFit() throws IOException {
    Files.write(images, IdxFiles.bytes(new int[] {5, 28, 28}, new byte[5 * 28 * 28]));
    assertWrong("has 5 pictures, but");
    Files.write(images, IdxFiles.bytes(new int[] {6, 20, 20}, new byte[6 * 20 * 20]));
    assertWrong("has pictures of 20 x 20 pixels, but 28 x 28 are needed");
  }

  @Test
  void labelIsRefusedWhenNoDigit() throws IOException {
    IdxFiles.compress(labels, IdxFiles.bytes(new int[] {6}, new byte[] {0, 1, 2, 3, 10, 5}));
    assertWrong("has the label 10 at 4");
  }

  @Test
  void missingFilesAreNamed() throws IOException {
    Files.delete(labels);
    Files.delete(folder.resolve("t10k-images-idx3-ubyte"));
    assertWrong("lacks train-labels-idx1-ubyte, t10k-images-idx3-ubyte (each may");
  }

  @Test
  void noFolder() {
    assertThatThrownBy(() -> Mnist.read(folder.resolve("nowhere")))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("there is no folder");
  }

  @Test
  void noiseNeverPasses() throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < 500; i++) {
      byte[] noise = new byte[random.nextInt(64)];
      random.nextBytes(noise);
      if (i % 2 == 0 && noise.length > 3) { // As a header of its own kind, to come further.
        System.arraycopy(new byte[] {0, 0, 8, 3}, 0, noise, 0, 4);
      }
      Files.write(images, noise);
      assertWrong("train-images-idx3-ubyte");
    }
  }

  private void assertWrong(String message) {
    assertThatThrownBy(() -> Mnist.read(folder))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(message);
  }
}
