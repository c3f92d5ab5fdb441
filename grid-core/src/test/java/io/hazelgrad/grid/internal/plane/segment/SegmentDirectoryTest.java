package io.hazelgrad.grid.internal.plane.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentDirectoryTest {
  @TempDir private Path directory;

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void onlyFilesOfDeadProcessesAreRemoved() throws IOException {
    String dead = "hazelgrad-12-345-0123456789abcdef";
    String half = "hazelgrad-13-346-0123456789abcdef";
    for (String name :
        List.of(dead + "-lock", dead + "-probe", dead + "-0", dead + "-17", half + "-3")) {
      Files.createFile(directory.resolve(name));
    }
    List<String> others = List.of("hazelgrad", "hazelgrad-notes", "other", "hazelgrad-1-2-3-4");
    for (String name : others) {
      Files.createFile(directory.resolve(name));
    }
    try (SegmentDirectory living = SegmentDirectory.open(directory, 1);
        SegmentDirectory folder = SegmentDirectory.open(directory, 2)) {
      Files.createFile(living.segment(0));

      folder.removeDeadOwners();

      assertThat(names()).doesNotContain(dead + "-lock", dead + "-0", half + "-3");
      assertThat(names()).containsAll(others);
      assertThat(names())
          .contains(living.owner + "-0", living.owner + "-lock", folder.owner + "-probe");
    }
    assertThat(names()).containsExactlyInAnyOrderElementsOf(others);
  }

  @Test
  void secretIsReadFromDirectory() throws IOException {
    try (SegmentDirectory a = SegmentDirectory.open(directory, 1);
        SegmentDirectory b = SegmentDirectory.open(directory, 2)) {
      assertThat(a.isOurSecret(b.secretOf(a.owner))).isTrue();
      assertThat(a.isOurSecret(a.secretOf(b.owner))).isFalse();
      assertThat(a.isOurSecret(new byte[0])).isFalse();
      assertThat(b.secretOf("hazelgrad-1-1-0123456789abcdef")).isEmpty();
    }
  }

  @Test
  void directoryIsRefusedWhenAbsent() {
    assertThatIOException()
        .isThrownBy(() -> SegmentDirectory.open(directory.resolve("absent"), 1))
        .withMessageContaining("is not a directory");
  }
}
