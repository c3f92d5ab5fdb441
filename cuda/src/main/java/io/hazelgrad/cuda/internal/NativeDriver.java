package io.hazelgrad.cuda.internal;

import static org.bytedeco.cuda.global.cublas.cublasCreate_v2;
import static org.bytedeco.cuda.global.cublas.cublasGemmEx;
import static org.bytedeco.cuda.global.cublas.cublasGemmStridedBatchedEx;
import static org.bytedeco.cuda.global.cublas.cublasSetMathMode;
import static org.bytedeco.cuda.global.cublas.cublasSetStream_v2;
import static org.bytedeco.cuda.global.cudart.cuCtxSetCurrent;
import static org.bytedeco.cuda.global.cudart.cuDeviceGet;
import static org.bytedeco.cuda.global.cudart.cuDeviceGetCount;
import static org.bytedeco.cuda.global.cudart.cuDeviceGetName;
import static org.bytedeco.cuda.global.cudart.cuDevicePrimaryCtxRetain;
import static org.bytedeco.cuda.global.cudart.cuDeviceTotalMem;
import static org.bytedeco.cuda.global.cudart.cuDriverGetVersion;
import static org.bytedeco.cuda.global.cudart.cuEventCreate;
import static org.bytedeco.cuda.global.cudart.cuEventDestroy;
import static org.bytedeco.cuda.global.cudart.cuEventElapsedTime;
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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
 * halves of pinned memory, so that one half is filled while the other one is copied. A half is free
 * again only when the stream has come to its last copy, and so has done all work before it. Small
 * copies to the GPU therefore use many slots in turn, and do not wait for that work.
 */
final class NativeDriver implements Driver {
  /** The driver's version from which it reads the PTX of our kernels. */
  static final int LEAST_VERSION = 13_000;

  /** The system property that lets products of floats round their factors to TF32. */
  static final String TF32 = "hazelgrad.cuda.tf32";

  private static final int TF32_MODE = 3;
  private static final int OUT_OF_MEMORY = 2;
  private static final int NON_BLOCKING = 1;
  private static final int TIMING = 0;
  private static final int NO_TIMING = 2;
  private static final double NANOS_OF_MILLISECOND = 1e6;
  private static final int HALF = 16 << 20;
  private static final int PIECE = 1 << 20;
  private static final int SLOT = 64 << 10;
  private static final int SLOTS = 64;
  private static final int TRANSPOSED = 1;

  // The types of elements and of arithmetic, as cuBLAS counts them.
  private static final int FLOATS = 0;
  private static final int DOUBLES = 1;
  private static final int IN_FLOATS = 68;
  private static final int IN_DOUBLES = 70;
  private static final int ANY_ALGORITHM = -1;
  private static final int MOST_PARAMETERS = 4096;
  private static final long END = 0;
  private static final long PARAMETERS = 1;
  private static final long PARAMETERS_SIZE = 2;

  private final String name;
  private final long memory;
  private final CUctx_st context = new CUctx_st();
  private final CUstream_st stream = new CUstream_st();
  private final CUmod_st module = new CUmod_st();
  private final cublasContext blas = new cublasContext();
  private final Map<String, CUfunc_st> functions = new HashMap<>();
  private final List<Staging> halves;
  private final List<Staging> slots;
  private int nextSlot;

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
    SizeTPointer bytes = new SizeTPointer(1);
    check(cuDeviceTotalMem(bytes, device[0]), "cuDeviceTotalMem");
    memory = bytes.get();
    check(cuDevicePrimaryCtxRetain(context, device[0]), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuStreamCreate(stream, NON_BLOCKING), "cuStreamCreate");
    check(cuModuleLoadData(module, kernels), "cuModuleLoadData");
    checkBlas(cublasCreate_v2(blas), "cublasCreate");
    checkBlas(cublasSetStream_v2(blas, stream), "cublasSetStream");
    if (Boolean.getBoolean(TF32)) {
      checkBlas(cublasSetMathMode(blas, TF32_MODE), "cublasSetMathMode");
    }
    halves = Stream.generate(() -> pinned(HALF)).limit(2).toList();
    slots = Stream.generate(() -> pinned(SLOT)).limit(SLOTS).toList();
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

  /** Memory of the host that the GPU reads and writes by itself; an event tells when it has. */
  private record Staging(BytePointer memory, ByteBuffer bytes, CUevent_st copied) {}

  private Staging pinned(int size) {
    PointerPointer<Pointer> place = new PointerPointer<>(1);
    check(cuMemHostAlloc(place, size, 0), "cuMemHostAlloc");
    BytePointer memory = new BytePointer(place.get()).capacity(size);
    CUevent_st copied = new CUevent_st();
    check(cuEventCreate(copied, NO_TIMING), "cuEventCreate");
    return new Staging(memory, memory.asByteBuffer(), copied);
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

  private void checkBlas(int result, Object call) {
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
  public long memory() {
    return memory;
  }

  @Override
  public void upload(long to, int count, int each, Part from) {
    enter();
    if ((long) count * each <= SLOT) {
      upload(to, 0, count, each, from, slots.get(nextSlot));
      nextSlot = (nextSlot + 1) % SLOTS;
      return;
    }
    int most = HALF / each;
    int half = 0;
    for (int done = 0; done < count; done += most) {
      int some = Math.min(most, count - done);
      upload(to + (long) done * each, done, some, each, from, halves.get(half));
      half = 1 - half;
    }
  }

  private void upload(long to, int at, int count, int each, Part from, Staging by) {
    check(cuEventSynchronize(by.copied), "cuEventSynchronize");
    copy(from, at, count, each, by.bytes);
    check(cuMemcpyHtoDAsync(to, by.memory, (long) count * each, stream), "cuMemcpyHtoD");
    check(cuEventRecord(by.copied, stream), "cuEventRecord");
  }

  @Override
  public void download(Part to, long from, int count, int each) {
    enter();
    int most = HALF / each;
    int asked = 0;
    int done = 0;
    for (int half = 0; done < count; half = 1 - half) {
      for (int ahead = asked == 0 ? 0 : 1; ahead < 2 && asked < count; ahead++) {
        Staging next = halves.get(ahead == 0 ? half : 1 - half);
        int some = Math.min(most, count - asked);
        long at = from + (long) asked * each;
        check(cuMemcpyDtoHAsync(next.memory, at, (long) some * each, stream), "cuMemcpyDtoH");
        check(cuEventRecord(next.copied, stream), "cuEventRecord");
        asked += some;
      }
      check(cuEventSynchronize(halves.get(half).copied), "cuEventSynchronize");
      int some = Math.min(most, count - done);
      copy(to, done, some, each, halves.get(half).bytes);
      done += some;
    }
  }

  /** Copies elements between the host and staging memory, a piece at a time on each thread. */
  private static void copy(Part part, int at, int count, int each, ByteBuffer staging) {
    int most = PIECE / each;
    IntConsumer piece =
        i -> {
          int first = i * most;
          int some = Math.min(most, count - first);
          part.copy(at + first, some, staging.slice(first * each, some * each));
        };
    int pieces = (count + most - 1) / most;
    if (pieces == 1) {
      piece.accept(0);
    } else {
      IntStream.range(0, pieces).parallel().forEach(piece);
    }
  }

  @Override
  public LongSupplier measure() {
    enter();
    CUevent_st begin = new CUevent_st();
    CUevent_st end = new CUevent_st();
    check(cuEventCreate(begin, TIMING), "cuEventCreate");
    check(cuEventCreate(end, TIMING), "cuEventCreate");
    check(cuEventRecord(begin, stream), "cuEventRecord");
    return () -> {
      enter();
      float[] millis = new float[1];
      check(cuEventRecord(end, stream), "cuEventRecord");
      check(cuEventSynchronize(end), "cuEventSynchronize");
      check(cuEventElapsedTime(millis, begin, end), "cuEventElapsedTime");
      check(cuEventDestroy(begin), "cuEventDestroy");
      check(cuEventDestroy(end), "cuEventDestroy");
      return (long) (millis[0] * NANOS_OF_MILLISECOND);
    };
  }

  @Override
  public void clear(long to, long bytes) {
    enter();
    check(cuMemsetD8Async(to, (byte) 0, bytes, stream), "cuMemsetD8");
  }

  @Override
  public void launch(String kernel, int blocks, int threads, ByteBuffer given) {
    enter();
    CUfunc_st function = functions.get(kernel);
    if (function == null) {
      function = new CUfunc_st();
      check(cuModuleGetFunction(function, module, kernel), "cuModuleGetFunction " + kernel);
      functions.put(kernel, function);
    }
    size.put(given.remaining());
    parameters.clear().put(given);
    PointerPointer<Pointer> none = null;
    check(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, none, extra), kernel);
  }

  @Override
  public void multiply(Product p, long a, long b, long out) {
    enter();
    // Row by row, out = a b is for cuBLAS, which reads column by column, the product of b and a.
    int operationA = p.transposeA() ? TRANSPOSED : 0;
    int operationB = p.transposeB() ? TRANSPOSED : 0;
    int lda = p.transposeA() ? p.m() : p.k();
    int ldb = p.transposeB() ? p.k() : p.n();
    int type = p.doubles() ? DOUBLES : FLOATS;
    Pointer one = p.doubles() ? doubleOne : floatOne;
    Pointer zero = p.doubles() ? doubleZero : floatZero;
    int compute = p.doubles() ? IN_DOUBLES : IN_FLOATS;
    int result =
        p.count() == 1
            ? cublasGemmEx(
                blas,
                operationB,
                operationA,
                p.n(),
                p.m(),
                p.k(),
                one,
                new Address(b),
                type,
                ldb,
                new Address(a),
                type,
                lda,
                zero,
                new Address(out),
                type,
                p.n(),
                compute,
                ANY_ALGORITHM)
            : cublasGemmStridedBatchedEx(
                blas,
                operationB,
                operationA,
                p.n(),
                p.m(),
                p.k(),
                one,
                new Address(b),
                type,
                ldb,
                p.strideB(),
                new Address(a),
                type,
                lda,
                p.strideA(),
                zero,
                new Address(out),
                type,
                p.n(),
                (long) p.m() * p.n(),
                p.count(),
                compute,
                ANY_ALGORITHM);
    checkBlas(result, p);
  }

  /** A number where JavaCPP takes a pointer. */
  private static final class Address extends Pointer {
    Address(long value) {
      address = value;
    }
  }
}
