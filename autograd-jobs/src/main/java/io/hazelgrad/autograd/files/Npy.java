package io.hazelgrad.autograd.files;

import io.hazelgrad.grid.Tensor;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files of one array, as {@code numpy.save} writes and {@code numpy.load} reads them: {@code .npy}.
 *
 * <p>Arrays of numbers and booleans are read in either byte order and in C or Fortran order.
 * Complex numbers, unsigned integers of more than 8 bits, texts, records and Python objects are
 * refused.
 */
public final class Npy {
  private Npy() {}

  /**
   * Reads a file.
   *
   * @throws IOException if it cannot be read or is too short
   * @throws io.hazelgrad.grid.GridException BAD_VALUE if it is damaged or of another element type
   */
  public static Tensor read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return NpyFormat.read(file.toString(), in, Files.size(file));
    }
  }

  /**
   * Writes a tensor to a file, completely or not at all, and replaces an existing file.
   *
   * @throws IOException if it cannot be written
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT for BFLOAT16, which NumPy does not have
   */
  public static void write(Path file, Tensor tensor) throws IOException {
    CompleteFile.write(
        file,
        channel -> {
          OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel));
          NpyFormat.write(tensor, out);
          out.flush();
        });
  }
}
