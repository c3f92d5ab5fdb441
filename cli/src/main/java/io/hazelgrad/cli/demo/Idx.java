package io.hazelgrad.cli.demo;

import io.hazelgrad.launcher.BadInputException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * The content of an IDX file of unsigned bytes, the format of MNIST: two zeros, the type (8), the
 * number of dimensions, each extent as a big-endian int, then the bytes, row by row. The file may
 * be compressed with gzip.
 *
 * @param shape the extents, each at least 1
 */
@SuppressWarnings("ArrayRecordComponent") // Not compared, and too large to be copied.
record Idx(int[] shape, byte[] data) {
  private static final int UNSIGNED_BYTES = 8;
  private static final int MAX_BYTES = 1 << 30;

  /**
   * Reads a file with a number of dimensions. It allocates no more than the size of the content,
   * even if the extents are larger.
   *
   * @throws BadInputException if the file is missing, cut, too long, or of another format
   */
  static Idx read(Path file, int dimensions) {
    try (InputStream plain = new BufferedInputStream(Files.newInputStream(file));
        InputStream content = isCompressed(plain) ? new GZIPInputStream(plain) : plain) {
      return read(file, new DataInputStream(content), dimensions);
    } catch (EOFException e) {
      throw new BadInputException(file + " is cut: it ends too early", e);
    } catch (ZipException e) {
      throw new BadInputException(file + " is damaged: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new BadInputException("cannot read " + file + ": " + e, e);
    }
  }

  private static boolean isCompressed(InputStream file) throws IOException {
    file.mark(2);
    boolean compressed = file.read() == 0x1f && file.read() == 0x8b; // The magic bytes of gzip.
    file.reset();
    return compressed;
  }

  private static Idx read(Path file, DataInputStream in, int dimensions) throws IOException {
    int zeros = in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int rank = in.readUnsignedByte();
    if (zeros != 0 || type != UNSIGNED_BYTES) {
      throw new BadInputException(
          String.format(
              "%s is no IDX file of bytes: it begins with %04x%02x, not 000008",
              file, zeros, type));
    }
    if (rank != dimensions) {
      throw new BadInputException(
          file + " has " + rank + " dimensions, but " + dimensions + " are needed");
    }
    int[] shape = new int[rank];
    long size = 1;
    for (int i = 0; i < rank; i++) {
      shape[i] = in.readInt();
      if (shape[i] < 1 || shape[i] > MAX_BYTES / size) {
        String extents = Arrays.toString(Arrays.copyOf(shape, i + 1));
        throw new BadInputException(
            file + " has wrong extents, or more than " + MAX_BYTES + " elements: " + extents);
      }
      size *= shape[i];
    }
    byte[] data = in.readNBytes((int) size);
    if (data.length < size) {
      throw new BadInputException(
          file + " is cut: it has " + data.length + " of " + size + " bytes of data");
    }
    if (in.read() >= 0) {
      throw new BadInputException(file + " has more than the " + size + " bytes of its extents");
    }
    return new Idx(shape, data);
  }
}
