package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.onnx.OnnxModel;
import java.util.List;

/** The format of a stored graph. The names are stored. */
enum GraphFormat {
  /** SameDiff's FlatBuffers. */
  SAMEDIFF,
  /** ONNX's protobuf. */
  ONNX;

  /**
   * Reads a program without trusting the bytes. An ONNX model names its inputs and outputs itself,
   * so the given ones are for SameDiff only.
   */
  GraphProgram read(byte[] bytes, List<String> inputs, List<String> outputs) {
    return this == SAMEDIFF
        ? GraphReader.read(bytes, inputs, outputs)
        : new OnnxGraph(OnnxModel.read(bytes));
  }
}
