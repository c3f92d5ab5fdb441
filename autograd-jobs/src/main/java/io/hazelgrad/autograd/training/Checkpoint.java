package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.files.SafeTensors;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A snapshot of a training: the parameters' values, the optimizer's state, and further tensors of
 * the application. With the same inputs, a training resumed from it gives the same bits.
 *
 * <p>The file is in the format of <a
 * href="https://github.com/huggingface/safetensors">safetensors</a>, so other tools can read it:
 * the tensors {@code parameter.N}, {@code state.N.NAME} and {@code extra.NAME}, and in its metadata
 * a checksum over all of it.
 *
 * @param parameters the values, in the order in which the parameters were given to the optimizer
 * @param optimizer the optimizer's state
 * @param extras further tensors by name
 */
public record Checkpoint(
    List<Tensor> parameters, OptimizerState optimizer, Map<String, Tensor> extras) {
  private static final String PARAMETER = "parameter.";
  private static final String STATE = "state.";
  private static final String EXTRA = "extra.";
  private static final String FORMAT = "format";
  private static final String OURS = "hazelgrad.checkpoint";
  private static final String VERSION = "version";
  private static final String CURRENT = "1";
  private static final String COUNT = "parameters";
  private static final String SCHEDULE_STEP = "schedule_step";

  /** Copies the lists and checks that both are of the same parameters: BAD_ARGUMENT. */
  public Checkpoint {
    parameters = List.copyOf(parameters);
    extras = Map.copyOf(extras);
    if (parameters.size() != optimizer.parameters().size()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "parameters=%s, but the optimizer's state is of %s"
              .formatted(parameters.size(), optimizer.parameters().size()));
    }
  }

  /**
   * Writes this to a file, completely or not at all. It writes a file beside it, forces that to the
   * disk and renames it, which replaces an existing file.
   *
   * @throws IOException if the file cannot be written; an existing file stays
   */
  public void write(Path file) throws IOException {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      tensors.put(PARAMETER + i, parameters.get(i));
    }
    for (int i = 0; i < parameters.size(); i++) {
      String prefix = STATE + i + ".";
      new TreeMap<>(optimizer.parameters().get(i))
          .forEach((name, value) -> tensors.put(prefix + name, value));
    }
    new TreeMap<>(extras).forEach((name, value) -> tensors.put(EXTRA + name, value));
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put(FORMAT, OURS);
    metadata.put(VERSION, CURRENT);
    metadata.put(COUNT, Integer.toString(parameters.size()));
    metadata.put(SCHEDULE_STEP, Long.toString(optimizer.scheduleStep()));
    new SafeTensors(metadata, tensors).write(file);
  }

  /**
   * Reads a file that {@link #write} wrote.
   *
   * @throws IOException if it cannot be read
   * @throws GridException BAD_VALUE if it is no such file, is of a later version, or is damaged
   */
  public static Checkpoint read(Path file) throws IOException {
    SafeTensors contents;
    try {
      contents = SafeTensors.readChecked(file);
    } catch (GridException e) {
      throw new GridException(e.status(), "checkpoint " + e.getMessage(), e);
    }
    Map<String, String> metadata = contents.metadata();
    if (!OURS.equals(metadata.get(FORMAT)) || !CURRENT.equals(metadata.get(VERSION))) {
      throw new GridException(
          Status.BAD_VALUE,
          "checkpoint %s is of format %s, version %s; this Hazelgrad reads %s, version %s"
              .formatted(file, metadata.get(FORMAT), metadata.get(VERSION), OURS, CURRENT));
    }
    try {
      return of(contents);
    } catch (IllegalArgumentException | IndexOutOfBoundsException | GridException e) {
      throw new GridException(
          Status.BAD_VALUE, "checkpoint " + file + " is damaged: " + e.getMessage(), e);
    }
  }

  private static Checkpoint of(SafeTensors contents) {
    Map<String, Tensor> rest = new LinkedHashMap<>(contents.tensors());
    List<Tensor> parameters = new ArrayList<>();
    List<Map<String, Tensor>> states = new ArrayList<>();
    for (long i = number(contents, COUNT); i > 0; i--) {
      Tensor value = rest.remove(PARAMETER + parameters.size());
      if (value == null) {
        throw new IllegalArgumentException("it lacks " + PARAMETER + parameters.size());
      }
      parameters.add(value);
      states.add(new LinkedHashMap<>());
    }
    Map<String, Tensor> extras = new LinkedHashMap<>();
    rest.forEach(
        (name, tensor) -> {
          if (name.startsWith(EXTRA)) {
            extras.put(name.substring(EXTRA.length()), tensor);
          } else {
            String[] parts = name.split("\\.", 3);
            if (parts.length < 3 || !name.startsWith(STATE)) {
              throw new IllegalArgumentException("it has an unknown tensor " + name);
            }
            states
                .get(Objects.checkIndex(Integer.parseInt(parts[1]), states.size()))
                .put(parts[2], tensor);
          }
        });
    OptimizerState state = new OptimizerState(states, number(contents, SCHEDULE_STEP));
    return new Checkpoint(parameters, state, extras);
  }

  private static long number(SafeTensors contents, String name) {
    String text = contents.metadata().get(name);
    if (text == null) {
      throw new IllegalArgumentException("it lacks " + name);
    }
    return Long.parseLong(text);
  }
}
