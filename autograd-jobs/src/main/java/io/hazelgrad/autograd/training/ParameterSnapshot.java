package io.hazelgrad.autograd.training;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A parameter's value and what an optimizer remembers of it, taken in one moment. */
@RemoteValue
record ParameterSnapshot(@Nullable Tensor value, Map<String, Tensor> state) {}
