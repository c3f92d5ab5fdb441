package io.hazelgrad.cuda.internal;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.bytedeco.javacpp.BytePointer;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs of this process. Each is opened at its first use and stays open: a process has one
 * context on a GPU, whatever grids run in it. Threads: safe.
 */
final class Gpus {
  private static final String KERNELS = "kernels.ptx.gz";
  private static final Map<Integer, Gpu> OPEN = new HashMap<>();

  /** Why none can be used; empty while that is not known. */
  private static String absence = "";

  private Gpus() {}

  /** Returns why a GPU cannot be used; null if it can. */
  static synchronized @Nullable String unusable(Device device) {
    if (!absence.isEmpty() || OPEN.containsKey(device.index())) {
      return absence.isEmpty() ? null : absence;
    }
    try {
      int count = NativeDriver.count();
      if (device.index() >= count) {
        return "CUDA's driver has %d GPUs here, numbered from 0".formatted(count);
      }
      OPEN.put(device.index(), new Gpu(device, new NativeDriver(device.index(), kernels())));
      return null;
    } catch (LinkageError e) {
      // JavaCPP names the library that the loader did not find, in the error or in its cause.
      Throwable first = e.getCause() == null ? e : e.getCause();
      absence = "NVIDIA's driver 580 or newer and CUDA 13's cudart and cublas are needed: " + first;
      return absence;
    } catch (IllegalStateException e) {
      absence = String.valueOf(e.getMessage());
      return absence;
    } catch (GridException e) {
      return e.getMessage();
    }
  }

  /** Returns a GPU; throws BAD_CONFIG with the reason if it cannot be used. */
  static synchronized Gpu of(Device device) {
    Gpu open = OPEN.get(device.index());
    if (open == null) {
      String reason = unusable(device);
      open = OPEN.get(device.index());
      if (open == null) {
        throw new GridException(Status.BAD_CONFIG, device + " cannot be used: " + reason);
      }
    }
    return open;
  }

  /** Returns the compiled kernels, with an end as C has it. */
  static BytePointer kernels() {
    InputStream packed = Gpus.class.getResourceAsStream(KERNELS);
    if (packed == null) {
      throw new IllegalStateException(KERNELS + " is not in the artifact hazelgrad-cuda");
    }
    try (InputStream in = new GZIPInputStream(packed)) {
      byte[] text = in.readAllBytes();
      return new BytePointer(text.length + 1L).put(text, 0, text.length).put(text.length, (byte) 0);
    } catch (IOException e) {
      throw new IllegalStateException("cannot read " + KERNELS + ": " + e, e);
    }
  }
}
