package io.hazelgrad.cli.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/** Makes IDX files: pictures with a bright row, whose place is the class. */
public final class IdxFiles {
  private static final int EXTENT = 28;
  private static final int CLASSES = 10;

  private IdxFiles() {}

  /** Writes so many pictures of each kind; the labels are compressed. */
  public static void write(Path folder, int training, int heldOut) throws IOException {
    write(folder, "train", training);
    write(folder, "t10k", heldOut);
  }

  private static void write(Path folder, String kind, int n) throws IOException {
    byte[] pixels = new byte[n * EXTENT * EXTENT];
    byte[] labels = new byte[n];
    for (int i = 0; i < n; i++) {
      labels[i] = (byte) (i % CLASSES);
      int row = 2 * labels[i] + 4;
      for (int column = 4; column < 24; column++) {
        pixels[(i * EXTENT + row) * EXTENT + column] = (byte) 255;
      }
    }
    Files.write(
        folder.resolve(kind + "-images-idx3-ubyte"), bytes(new int[] {n, EXTENT, EXTENT}, pixels));
    compress(folder.resolve(kind + "-labels-idx1-ubyte.gz"), bytes(new int[] {n}, labels));
  }

  static byte[] bytes(int[] shape, byte[] data) {
    ByteBuffer file = ByteBuffer.allocate(4 + 4 * shape.length + data.length);
    file.put(new byte[] {0, 0, 8, (byte) shape.length});
    for (int extent : shape) {
      file.putInt(extent);
    }
    return file.put(data).array();
  }

  static Path compress(Path file, byte[] content) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(content);
    }
    return file;
  }
}
