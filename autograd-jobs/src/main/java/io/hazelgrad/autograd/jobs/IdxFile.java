package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
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
import org.jspecify.annotations.Nullable;

/**
 * The content of an IDX file of unsigned bytes, the format of MNIST: two zeros, the type (8), the
 * number of dimensions, each extent as a big-endian int, then the bytes, row by row. The file may
 * be compressed with gzip. {@link Dataset#idx} makes a data set of two such files.
 *
 * @param shape the extents, each at least 1
 * @param data the bytes; the arrays are not copied
 */
@SuppressWarnings("ArrayRecordComponent") // Not compared, and too large to be copied.
public record IdxFile(int[] shape, byte[] data) {
  private static final int UNSIGNED_BYTES = 8;
  private static final int MAX_BYTES = 1 << 30;

  /**
   * Reads a file with a number of dimensions. It allocates no more than the size of the content,
   * even if the extents are larger.
   *
   * @throws GridException BAD_ARGUMENT if the file is missing, cut, too long, or of another format
   */
  public static IdxFile read(Path file, int dimensions) {
    try (InputStream plain = new BufferedInputStream(Files.newInputStream(file));
        InputStream content = isCompressed(plain) ? new GZIPInputStream(plain) : plain) {
      return read(file, new DataInputStream(content), dimensions);
    } catch (EOFException e) {
      throw bad(file + " is cut: it ends too early", e);
    } catch (ZipException e) {
      throw bad(file + " is damaged: " + e.getMessage(), e);
    } catch (IOException e) {
      throw bad("cannot read " + file + ": " + e, e);
    }
  }

  private static GridException bad(String message, @Nullable Exception cause) {
    return new GridException(Status.BAD_ARGUMENT, message, cause);
  }

  private static boolean isCompressed(InputStream file) throws IOException {
    file.mark(2);
    boolean compressed = file.read() == 0x1f && file.read() == 0x8b; // The magic bytes of gzip.
    file.reset();
    return compressed;
  }

  private static IdxFile read(Path file, DataInputStream in, int dimensions) throws IOException {
    int zeros = in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int rank = in.readUnsignedByte();
    if (zeros != 0 || type != UNSIGNED_BYTES) {
      throw bad(
          String.format(
              "%s is no IDX file of bytes: it begins with %04x%02x, not 000008", file, zeros, type),
          null);
    }
    if (rank != dimensions) {
      throw bad(file + " has " + rank + " dimensions, but " + dimensions + " are needed", null);
    }
    int[] shape = new int[rank];
    long size = 1;
    for (int i = 0; i < rank; i++) {
      shape[i] = in.readInt();
      if (shape[i] < 1 || shape[i] > MAX_BYTES / size) {
        String extents = Arrays.toString(Arrays.copyOf(shape, i + 1));
        throw bad(
            file + " has wrong extents, or more than " + MAX_BYTES + " elements: " + extents, null);
      }
      size *= shape[i];
    }
    byte[] data = in.readNBytes((int) size);
    if (data.length < size) {
      throw bad(file + " is cut: it has " + data.length + " of " + size + " bytes of data", null);
    }
    if (in.read() >= 0) {
      throw bad(file + " has more than the " + size + " bytes of its extents", null);
    }
    return new IdxFile(shape, data);
  }
}
