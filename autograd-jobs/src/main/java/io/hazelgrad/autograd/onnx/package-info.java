/**
 * Models in the format ONNX: {@link io.hazelgrad.autograd.onnx.OnnxExport} writes what a module or
 * a function computes, {@link io.hazelgrad.autograd.onnx.OnnxModel} is a model that runs on the
 * operations of the catalogue.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.onnx;
