package io.hazelgrad.cli.gpt;

import com.fasterxml.jackson.databind.JsonNode;
import io.hazelgrad.cli.replay.BadProgramException;
import io.hazelgrad.cli.replay.JsonFields;
import io.hazelgrad.cli.replay.ProgramFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A file of trainings: {@code {"text": STRING, "cases": [CASE]}}, where a case is {@code {"name",
 * "config": {"vocab", "block", "layers", "heads", "width", "batch", "micro", "stride", "steps"},
 * "optimizer": {"kind": "sgd" or "adamw", ..}, "parameters": [{"name", "shape", "init"}]}}. The
 * options of the optimizer have torch's names. The initial values {@code init} are "zeros", "ones",
 * or by a formula a number that they do not exceed. Other members of a case are ignored.
 *
 * @param text the text that the models learn
 * @param cases the cases, which are read when they run: a wrong one does not keep others from it
 */
public record TrainingFile(String text, List<JsonFields> cases) {
  /** Copies the list. */
  public TrainingFile {
    cases = List.copyOf(cases);
  }

  /** Reads a file; throws {@link BadProgramException} for a bad one. */
  public static TrainingFile read(Path file) {
    JsonFields fields = ProgramFile.fields(file);
    List<JsonFields> cases = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode node : fields.list("cases")) {
      String name = JsonFields.of(node, "cases[" + cases.size() + "]").text("name");
      if (!names.add(name)) {
        throw new BadProgramException("two cases are named \"" + name + "\"");
      }
      cases.add(JsonFields.of(node, "case \"" + name + "\""));
    }
    return new TrainingFile(fields.text("text"), cases);
  }
}
