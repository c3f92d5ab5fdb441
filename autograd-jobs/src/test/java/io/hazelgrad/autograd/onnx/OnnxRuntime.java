package io.hazelgrad.autograd.onnx;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;

/** Computes a model with Microsoft's ONNX Runtime, on one thread. */
final class OnnxRuntime {
  private OnnxRuntime() {}

  static Map<String, Tensor> run(byte[] model, Map<String, Tensor> inputs) throws OrtException {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    Map<String, OnnxTensor> given = new LinkedHashMap<>();
    Map<String, Tensor> results = new LinkedHashMap<>();
    try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
      options.setIntraOpNumThreads(1);
      options.setInterOpNumThreads(1);
      try (OrtSession session = environment.createSession(model, options)) {
        for (Map.Entry<String, Tensor> input : inputs.entrySet()) {
          given.put(input.getKey(), tensor(environment, input.getValue()));
        }
        try (OrtSession.Result result = session.run(given)) {
          result.forEach(
              entry -> results.put(entry.getKey(), tensor((OnnxTensor) entry.getValue())));
        }
      }
    } finally {
      given.values().forEach(OnnxTensor::close);
    }
    return results;
  }

  private static OnnxTensor tensor(OrtEnvironment environment, Tensor tensor) throws OrtException {
    ByteBuffer bytes =
        ByteBuffer.allocateDirect(tensor.size() * tensor.dtype().bytes())
            .order(ByteOrder.nativeOrder());
    tensor.storage().copyTo(bytes);
    return OnnxTensor.createTensor(environment, bytes.flip(), tensor.shape(), type(tensor.dtype()));
  }

  private static OnnxJavaType type(DType dtype) {
    return switch (dtype) {
      case FLOAT32 -> OnnxJavaType.FLOAT;
      case FLOAT64 -> OnnxJavaType.DOUBLE;
      case INT64 -> OnnxJavaType.INT64;
      case INT32 -> OnnxJavaType.INT32;
      case BOOL -> OnnxJavaType.BOOL;
      case FLOAT16 -> OnnxJavaType.FLOAT16;
      default -> throw new AssertionError(dtype);
    };
  }

  private static Tensor tensor(OnnxTensor result) {
    DType dtype =
        switch (result.getInfo().type) {
          case FLOAT -> DType.FLOAT32;
          case DOUBLE -> DType.FLOAT64;
          case INT64 -> DType.INT64;
          case INT32 -> DType.INT32;
          case BOOL -> DType.BOOL;
          case FLOAT16 -> DType.FLOAT16;
          default -> throw new AssertionError(result.getInfo());
        };
    ByteBuffer bytes = result.getByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    long[] shape = result.getInfo().getShape();
    Buffer unused = bytes.rewind();
    return TensorBytes.read(dtype, shape, (int) Tensor.sizeOf(shape), bytes);
  }
}
