package io.hazelgrad.bench.inner;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures the overhead of an operation beside its arithmetic, and a step of the backward engine. */
@State(Scope.Thread)
public class OperationBenchmark {
  private static final int DEPTH = 100;

  /** The number of elements of each tensor. */
  @Param({"1", "1024"})
  public int elements;

  private Variable constant = Variable.of(Tensor.zeros(DType.FLOAT32, 1));
  private Variable parameter = constant;

  /** Makes the tensors. */
  @Setup
  public void prepare() {
    constant = Variable.of(Tensor.full(DType.FLOAT32, 1, elements));
    parameter = Variable.parameter(Tensor.full(DType.FLOAT32, 1, elements));
  }

  /** Measures an addition that is not recorded. */
  @Benchmark
  public Object add() {
    return constant.add(constant);
  }

  /** Measures an addition that is recorded. */
  @Benchmark
  public Object addRecorded() {
    return parameter.add(constant);
  }

  /** Measures an element-wise product that is recorded. */
  @Benchmark
  public Object multiplyRecorded() {
    return parameter.mul(constant);
  }

  /** Measures an activation. */
  @Benchmark
  public Object relu() {
    return constant.relu();
  }

  /** Measures an addition and its backward step, as one of 100 in a chain. */
  @Benchmark
  @OperationsPerInvocation(DEPTH)
  public Object addAndBackward() {
    Variable sum = parameter;
    for (int i = 0; i < DEPTH; i++) {
      sum = sum.add(constant);
    }
    sum.sum().backward();
    return sum;
  }
}
