package io.hazelgrad.cuda.internal;

import static org.bytedeco.cuda.global.cublas.cublasCreate_v2;
import static org.bytedeco.cuda.global.cublas.cublasDgemmStridedBatched;
import static org.bytedeco.cuda.global.cublas.cublasSetMathMode;
import static org.bytedeco.cuda.global.cublas.cublasSetStream_v2;
import static org.bytedeco.cuda.global.cublas.cublasSgemmStridedBatched;
import static org.bytedeco.cuda.global.cudart.cuCtxSetCurrent;
import static org.bytedeco.cuda.global.cudart.cuDeviceGet;
import static org.bytedeco.cuda.global.cudart.cuDeviceGetCount;
import static org.bytedeco.cuda.global.cudart.cuDeviceGetName;
import static org.bytedeco.cuda.global.cudart.cuDevicePrimaryCtxRetain;
import static org.bytedeco.cuda.global.cudart.cuDriverGetVersion;
import static org.bytedeco.cuda.global.cudart.cuEventCreate;
import static org.bytedeco.cuda.global.cudart.cuEventRecord;
import static org.bytedeco.cuda.global.cudart.cuEventSynchronize;
import static org.bytedeco.cuda.global.cudart.cuGetErrorString;
import static org.bytedeco.cuda.global.cudart.cuInit;
import static org.bytedeco.cuda.global.cudart.cuLaunchKernel;
import static org.bytedeco.cuda.global.cudart.cuMemAlloc;
import static org.bytedeco.cuda.global.cudart.cuMemFree;
import static org.bytedeco.cuda.global.cudart.cuMemHostAlloc;
import static org.bytedeco.cuda.global.cudart.cuMemcpyDtoHAsync;
import static org.bytedeco.cuda.global.cudart.cuMemcpyHtoDAsync;
import static org.bytedeco.cuda.global.cudart.cuMemsetD8Async;
import static org.bytedeco.cuda.global.cudart.cuModuleGetFunction;
import static org.bytedeco.cuda.global.cudart.cuModuleLoadData;
import static org.bytedeco.cuda.global.cudart.cuStreamCreate;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;

/**
 * CUDA's driver and cuBLAS, by JavaCPP's presets. Work goes to one stream. Copies go through two
 * halves of pinned memory, so that one half is filled while the other one is copied.
 */
final class NativeDriver implements Driver {
  /** The driver's version from which it reads the PTX of our kernels. */
  static final int LEAST_VERSION = 13_000;

  /** The system property that lets products of floats round their factors to TF32. */
  static final String TF32 = "hazelgrad.cuda.tf32";

  private static final int TF32_MODE = 3;
  private static final int OUT_OF_MEMORY = 2;
  private static final int NON_BLOCKING = 1;
  private static final int NO_TIMING = 2;
  private static final int HALF = 4 << 20;
  private static final int TRANSPOSED = 1;
  private static final int MOST_PARAMETERS = 4096;
  private static final long END = 0;
  private static final long PARAMETERS = 1;
  private static final long PARAMETERS_SIZE = 2;

  private final String name;
  private final CUctx_st context = new CUctx_st();
  private final CUstream_st stream = new CUstream_st();
  private final CUmod_st module = new CUmod_st();
  private final cublasContext blas = new cublasContext();
  private final Map<String, CUfunc_st> functions = new HashMap<>();
  private final List<BytePointer> halves;
  private final List<ByteBuffer> staging;
  private final List<CUevent_st> copied = List.of(new CUevent_st(), new CUevent_st());

  private final ByteBuffer parameters =
      ByteBuffer.allocateDirect(MOST_PARAMETERS).order(ByteOrder.nativeOrder());

  /** The parameters of a launch as the driver takes them: their place, their size and an end. */
  private final PointerPointer<Pointer> extra = new PointerPointer<>(5);

  private final SizeTPointer size = new SizeTPointer(1);

  private final FloatPointer floatOne = new FloatPointer(1f);
  private final FloatPointer floatZero = new FloatPointer(0f);
  private final DoublePointer doubleOne = new DoublePointer(1.0);
  private final DoublePointer doubleZero = new DoublePointer(0.0);

  /** Why the GPU can do nothing more, once an error has damaged its context. */
  private String failure = "";

  /** Opens a GPU by its number. */
  NativeDriver(int index, BytePointer kernels) {
    int[] device = new int[1];
    check(cuDeviceGet(device, index), "cuDeviceGet");
    byte[] text = new byte[256];
    check(cuDeviceGetName(text, text.length, device[0]), "cuDeviceGetName");
    name = new String(text, StandardCharsets.UTF_8).replace("\0", "");
    check(cuDevicePrimaryCtxRetain(context, device[0]), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuStreamCreate(stream, NON_BLOCKING), "cuStreamCreate");
    check(cuModuleLoadData(module, kernels), "cuModuleLoadData");
    checkBlas(cublasCreate_v2(blas), "cublasCreate");
    checkBlas(cublasSetStream_v2(blas, stream), "cublasSetStream");
    if (Boolean.getBoolean(TF32)) {
      checkBlas(cublasSetMathMode(blas, TF32_MODE), "cublasSetMathMode");
    }
    halves = List.of(pinned(), pinned());
    staging = halves.stream().map(BytePointer::asByteBuffer).toList();
    for (CUevent_st event : copied) {
      check(cuEventCreate(event, NO_TIMING), "cuEventCreate");
    }
    extra.put(0, new Address(PARAMETERS));
    extra.put(1, new BytePointer(parameters));
    extra.put(2, new Address(PARAMETERS_SIZE));
    extra.put(3, size);
    extra.put(4, new Address(END));
  }

  /** Returns the number of GPUs; throws with the reason if there is no driver that can be used. */
  static int count() {
    int[] value = new int[1];
    int result = cuInit(0);
    if (result != 0) {
      throw new IllegalStateException("CUDA's driver says: " + text(result));
    }
    if (cuDriverGetVersion(value) != 0 || value[0] < LEAST_VERSION) {
      throw new IllegalStateException(
          "the driver is for CUDA %d.%d, and 13.0 is needed (driver 580 or newer)"
              .formatted(value[0] / 1000, value[0] % 1000 / 10));
    }
    return cuDeviceGetCount(value) == 0 ? value[0] : 0;
  }

  private BytePointer pinned() {
    PointerPointer<Pointer> place = new PointerPointer<>(1);
    check(cuMemHostAlloc(place, HALF, 0), "cuMemHostAlloc");
    return new BytePointer(place.get()).capacity(HALF);
  }

  private static String text(int result) {
    PointerPointer<Pointer> place = new PointerPointer<>(1);
    Pointer found = cuGetErrorString(result, place) == 0 ? place.get() : null;
    return found == null ? "error " + result : new BytePointer(found).getString();
  }

  private void check(int result, String call) {
    if (result != 0) {
      failure = name() + ": " + call + " failed with error " + result + ", " + text(result);
      throw failed();
    }
  }

  private void checkBlas(int result, String call) {
    if (result != 0) {
      failure = name() + ": " + call + " failed with status " + result + " of cuBLAS";
      throw failed();
    }
  }

  /** A context that has seen an error answers every call with it, so nothing more is tried. */
  private GridException failed() {
    return new GridException(
        Status.INTERNAL, failure + "; start this process anew to use the GPU again");
  }

  private void enter() {
    if (!failure.isEmpty()) {
      throw failed();
    }
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long allocate(long bytes) {
    enter();
    long[] address = new long[1];
    int result = cuMemAlloc(address, bytes);
    if (result == OUT_OF_MEMORY) {
      return 0;
    }
    check(result, "cuMemAlloc");
    return address[0];
  }

  @Override
  public void free(long address) {
    enter();
    check(cuMemFree(address), "cuMemFree");
  }

  @Override
  public void upload(long to, Storage from) {
    enter();
    int bytes = from.dtype().bytes();
    int most = HALF / bytes;
    int half = 0;
    for (int done = 0; done < from.length(); done += most) {
      int some = Math.min(most, from.length() - done);
      check(cuEventSynchronize(copied.get(half)), "cuEventSynchronize");
      from.copyTo(done, some, staging.get(half).clear());
      long at = to + (long) done * bytes;
      check(cuMemcpyHtoDAsync(at, halves.get(half), (long) some * bytes, stream), "cuMemcpyHtoD");
      check(cuEventRecord(copied.get(half), stream), "cuEventRecord");
      half = 1 - half;
    }
  }

  @Override
  public void download(ByteBuffer to, long from, int bytes) {
    enter();
    int asked = 0;
    int done = 0;
    for (int half = 0; done < bytes; half = 1 - half) {
      for (int ahead = asked == 0 ? 0 : 1; ahead < 2 && asked < bytes; ahead++) {
        int next = ahead == 0 ? half : 1 - half;
        int some = Math.min(HALF, bytes - asked);
        check(cuMemcpyDtoHAsync(halves.get(next), from + asked, some, stream), "cuMemcpyDtoH");
        check(cuEventRecord(copied.get(next), stream), "cuEventRecord");
        asked += some;
      }
      check(cuEventSynchronize(copied.get(half)), "cuEventSynchronize");
      int some = Math.min(HALF, bytes - done);
      to.put(staging.get(half).clear().limit(some));
      done += some;
    }
  }

  @Override
  public void clear(long to, long bytes) {
    enter();
    check(cuMemsetD8Async(to, (byte) 0, bytes, stream), "cuMemsetD8");
  }

  @Override
  public ByteBuffer parameters() {
    return parameters.clear();
  }

  @Override
  public void launch(String kernel, int blocks, int threads) {
    enter();
    CUfunc_st function = functions.get(kernel);
    if (function == null) {
      function = new CUfunc_st();
      check(cuModuleGetFunction(function, module, kernel), "cuModuleGetFunction " + kernel);
      functions.put(kernel, function);
    }
    size.put(parameters.position());
    PointerPointer<Pointer> none = null;
    check(
        cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, none, extra),
        "the launch of " + kernel);
  }

  @Override
  public void multiply(Product p, long a, long b, long out) {
    enter();
    // Row by row, out = a b is for cuBLAS, which reads column by column, the product of b and a.
    int operationA = p.transposeA() ? TRANSPOSED : 0;
    int operationB = p.transposeB() ? TRANSPOSED : 0;
    int lda = p.transposeA() ? p.m() : p.k();
    int ldb = p.transposeB() ? p.k() : p.n();
    long each = (long) p.m() * p.n();
    int result =
        p.doubles()
            ? cublasDgemmStridedBatched(
                blas,
                operationB,
                operationA,
                p.n(),
                p.m(),
                p.k(),
                doubleOne,
                new DoublePointer(new Address(b)),
                ldb,
                p.strideB(),
                new DoublePointer(new Address(a)),
                lda,
                p.strideA(),
                doubleZero,
                new DoublePointer(new Address(out)),
                p.n(),
                each,
                p.count())
            : cublasSgemmStridedBatched(
                blas,
                operationB,
                operationA,
                p.n(),
                p.m(),
                p.k(),
                floatOne,
                new FloatPointer(new Address(b)),
                ldb,
                p.strideB(),
                new FloatPointer(new Address(a)),
                lda,
                p.strideA(),
                floatZero,
                new FloatPointer(new Address(out)),
                p.n(),
                each,
                p.count());
    checkBlas(result, "a matrix product " + p);
  }

  /** A number where JavaCPP takes a pointer. */
  private static final class Address extends Pointer {
    Address(long value) {
      address = value;
    }
  }
}
