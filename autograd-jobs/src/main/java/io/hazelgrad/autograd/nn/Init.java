package io.hazelgrad.autograd.nn;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.function.DoubleSupplier;
import java.util.random.RandomGenerator;

/**
 * The source of the initial values of parameters: an element type and a stream of random numbers.
 * Each parameter takes the next numbers of the stream. The same seed gives the same bits on every
 * JVM. The distributions are torch's, the bits are not.
 *
 * <pre>{@code
 * Init init = Init.seeded(7);
 * Linear hidden = new Linear(64, 32, init);
 * Linear output = new Linear(32, 10, init); // Takes the numbers that follow.
 * }</pre>
 *
 * <p>It can travel in a call, to make a module on another worker, with a copy of the stream.
 *
 * <p>Threads: safe. With several threads, the order of their calls decides which numbers each gets.
 */
@RemoteValue
public final class Init implements RandomGenerator {
  // The generator is SplitMix64 (Steele, Lea and Flood 2014), with their constants.
  private static final long STEP = 0x9E3779B97F4A7C15L;
  private static final long FIRST = 0xBF58476D1CE4E5B9L;
  private static final long SECOND = 0x94D049BB133111EBL;
  private static final double UNIT = 0x1p-53;

  // Not final, since it travels by its fields.
  private long state;
  private DType dtype = DType.FLOAT32;

  private Init() {}

  /** Begins a stream for FLOAT32. */
  public static Init seeded(long seed) {
    Init init = new Init();
    init.state = seed;
    return init;
  }

  /** Begins a stream with the next number of another generator. */
  public static Init from(RandomGenerator random) {
    return seeded(random.nextLong());
  }

  /**
   * Returns one for another element type, with a copy of the stream.
   *
   * @throws GridException BAD_ARGUMENT if it is no floating-point type
   */
  public synchronized Init with(DType newDtype) {
    if (!newDtype.isFloating()) {
      throw Module.bad("parameters are of a floating-point type: " + newDtype);
    }
    Init init = seeded(state);
    init.dtype = newDtype;
    return init;
  }

  /** Returns the element type. */
  public DType dtype() {
    return dtype;
  }

  @Override
  public synchronized long nextLong() {
    state += STEP;
    return mixed(state);
  }

  /** Returns number {@code index} of the stream that a seed begins. */
  static long at(long seed, long index) {
    return mixed(seed + (index + 1) * STEP);
  }

  private static long mixed(long state) {
    long z = (state ^ (state >>> 30)) * FIRST;
    z = (z ^ (z >>> 27)) * SECOND;
    return z ^ (z >>> 31);
  }

  // As RandomGenerator has it today; written down, so that the bits stay what they are.
  @Override
  public double nextDouble() {
    return (nextLong() >>> 11) * UNIT;
  }

  /** By Box and Muller; StrictMath, so that the bits are the same everywhere. */
  @Override
  public double nextGaussian() {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - nextDouble()));
    return radius * StrictMath.cos(2 * Math.PI * nextDouble());
  }

  /** Makes a tensor of numbers between two, each as likely as any other. */
  public Tensor uniform(double from, double to, long... shape) {
    return filled(() -> from + (to - from) * nextDouble(), shape);
  }

  /** Makes a tensor of normally distributed numbers. */
  public Tensor normal(double mean, double deviation, long... shape) {
    return filled(() -> mean + deviation * nextGaussian(), shape);
  }

  /** Makes a tensor of one number. */
  public Tensor full(double value, long... shape) {
    return filled(() -> value, shape);
  }

  /**
   * Makes weights, or a bias, for sums of {@code inputs} products: uniform within the reciprocal of
   * the root of that number, as torch's linear layers and convolutions begin (He et al. 2015, with
   * a slope of the root of 5).
   */
  Tensor forSumsOf(long inputs, long... shape) {
    double bound = inputs == 0 ? 0 : 1 / Math.sqrt((double) inputs);
    return uniform(-bound, bound, shape);
  }

  private Tensor filled(DoubleSupplier numbers, long... shape) {
    try {
      double[] values = new double[Math.toIntExact(Tensor.sizeOf(shape))];
      Arrays.setAll(values, i -> numbers.getAsDouble());
      return Tensor.wrap(values, shape).to(dtype);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new GridException(
          Status.BAD_ARGUMENT, "no parameter can have this shape: " + e.getMessage(), e);
    } catch (OutOfMemoryError e) {
      throw new GridException(Status.REJECTED, "no memory for a parameter of this size", e);
    }
  }

  @Override
  public String toString() {
    return "Init(" + dtype + ")";
  }
}
