package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** A file of programs, {@code {"scenarios": [...]}}, or of operations, {@code {"cases": [...]}}. */
public final class ProgramFile {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** The parser's remark about an inner place, which names no file. */
  private static final Pattern INNER_PLACE = Pattern.compile("(?s)\\s*\\((start marker )?at \\[.*");

  private ProgramFile() {}

  /** Reads and checks all programs; throws {@link BadProgramException} for a bad file. */
  public static List<Scenario> read(Path file) {
    JsonNode list = fields(file).list("scenarios");
    List<Scenario> scenarios = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < list.size(); i++) {
      Scenario scenario = Scenario.read(list.get(i), "scenarios[" + i + "]");
      if (!names.add(scenario.name())) {
        throw new BadProgramException("two scenarios are named \"" + scenario.name() + "\"");
      }
      scenarios.add(scenario);
    }
    return scenarios;
  }

  /** Reads all operations; throws {@link BadProgramException} for a bad file. */
  public static List<OperationCase> readCases(Path file) {
    JsonNode list = fields(file).list("cases");
    List<OperationCase> cases = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      cases.add(new OperationCase(list.get(i), "cases[" + i + "]"));
    }
    return cases;
  }

  /** Reads a file whose content is one object; throws {@link BadProgramException} for another. */
  public static JsonFields fields(Path file) {
    return JsonFields.of(tree(text(file)), "the file");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new BadProgramException("no such file");
    } catch (CharacterCodingException e) {
      throw new BadProgramException("is not UTF-8");
    } catch (IOException e) {
      throw new BadProgramException("cannot be read: " + e.getMessage());
    }
  }

  static JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      JsonLocation place = e.getLocation();
      String where =
          place == null ? "" : " in line " + place.getLineNr() + ", column " + place.getColumnNr();
      String reason = INNER_PLACE.matcher(e.getOriginalMessage()).replaceAll("");
      throw new BadProgramException("malformed JSON" + where + ": " + reason);
    }
  }
}
