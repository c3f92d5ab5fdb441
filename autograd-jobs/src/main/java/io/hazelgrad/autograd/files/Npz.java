package io.hazelgrad.autograd.files;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Files of named arrays, as {@code numpy.savez} and {@code numpy.savez_compressed} write and {@code
 * numpy.load} reads them: {@code .npz}, a zip of {@link Npy} files.
 */
public final class Npz {
  private static final String SUFFIX = ".npy";

  /** A byte of compressed data makes no more bytes than this. */
  private static final long MOST_FROM_ONE_BYTE = 1032;

  private static final LocalDateTime EPOCH = LocalDateTime.of(1980, 1, 1, 0, 0);
  private static final long USUAL_RATIO = 64;
  private static final long ALWAYS_ALLOWED = 1 << 20;

  private Npz() {}

  /**
   * Reads a file whose arrays have at most 64 times its size, or 1 MiB.
   *
   * @return the arrays by name, in the order of the file
   * @throws IOException if it cannot be read
   * @throws GridException BAD_VALUE if it is damaged, or its arrays are larger; then use {@link
   *     #read(Path, long)}
   */
  public static Map<String, Tensor> read(Path file) throws IOException {
    return read(file, Math.max(ALWAYS_ALLOWED, USUAL_RATIO * Files.size(file)));
  }

  /**
   * Reads a file whose arrays may have that many bytes together.
   *
   * @throws IOException if it cannot be read
   * @throws GridException BAD_VALUE if it is damaged, or its arrays are larger
   */
  public static Map<String, Tensor> read(Path file, long maxBytes) throws IOException {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    long left = maxBytes;
    try (ZipFile zip = new ZipFile(file.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        String name = entry.getName();
        if (!name.endsWith(SUFFIX)) {
          throw bad(file, "has the entry \"" + name + "\", which is no " + SUFFIX);
        }
        long size = entry.getSize();
        long stored = entry.getCompressedSize();
        if (size < 0 || stored < 0 || size > (stored + 1) * MOST_FROM_ONE_BYTE) {
          throw bad(file, "says that " + stored + " bytes are " + size + " bytes of " + name);
        }
        if (size > left) {
          throw bad(
              file,
              "has arrays of more than %d bytes in %d bytes; read(file, maxBytes) allows more"
                  .formatted(maxBytes, Files.size(file)));
        }
        left -= size;
        CRC32 checksum = new CRC32();
        try (InputStream in = new CheckedInputStream(zip.getInputStream(entry), checksum)) {
          Tensor tensor = NpyFormat.read(file + ": " + name, in, size);
          String key = name.substring(0, name.length() - SUFFIX.length());
          if (checksum.getValue() != entry.getCrc()) {
            throw bad(file, "is damaged: the checksum of " + name + " is wrong");
          }
          if (tensors.put(key, tensor) != null) {
            throw bad(file, "has two arrays " + key);
          }
        }
      }
    } catch (ZipException | EOFException e) {
      throw new GridException(
          Status.BAD_VALUE, file + " is no zip file, or is damaged: " + e.getMessage(), e);
    }
    return tensors;
  }

  /**
   * Writes tensors to a file, completely or not at all, and replaces an existing file.
   *
   * @throws IOException if it cannot be written
   * @throws GridException BAD_ARGUMENT for BFLOAT16, which NumPy does not have
   */
  public static void write(Path file, Map<String, Tensor> tensors) throws IOException {
    write(file, tensors, Deflater.NO_COMPRESSION);
  }

  /** Writes a compressed file. Otherwise like {@link #write(Path, Map)}. */
  public static void writeCompressed(Path file, Map<String, Tensor> tensors) throws IOException {
    write(file, tensors, Deflater.DEFAULT_COMPRESSION);
  }

  private static void write(Path file, Map<String, Tensor> tensors, int level) throws IOException {
    CompleteFile.write(
        file,
        channel -> {
          ZipOutputStream zip =
              new ZipOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
          zip.setLevel(level);
          for (Map.Entry<String, Tensor> entry : tensors.entrySet()) {
            ZipEntry array = new ZipEntry(entry.getKey() + SUFFIX);
            array.setTimeLocal(EPOCH); // The same tensors give the same bytes.
            zip.putNextEntry(array);
            NpyFormat.write(entry.getValue(), zip);
            zip.closeEntry();
          }
          zip.finish();
          zip.flush();
        });
  }

  private static GridException bad(Path file, String what) {
    return new GridException(Status.BAD_VALUE, file + " " + what);
  }
}
