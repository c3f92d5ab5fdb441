/** The operators of ONNX as formulas of the catalogue, and the messages of its format. */
@NullMarked
package io.hazelgrad.autograd.onnx.operators;

import org.jspecify.annotations.NullMarked;
