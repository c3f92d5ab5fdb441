package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The members of a JSON object. Errors name the place of a member that is missing or wrong.
 *
 * @param node the object
 * @param where the place of the object in its file
 */
public record JsonFields(JsonNode node, String where) {
  /** Returns the members of a node; throws {@link BadProgramException} if it is no object. */
  public static JsonFields of(JsonNode node, String where) {
    if (!node.isObject()) {
      throw new BadProgramException(where + ": must be an object, is " + kind(node));
    }
    return new JsonFields(node, where);
  }

  /** Returns whether there is a member of this name, other than null. */
  public boolean has(String name) {
    return node.hasNonNull(name);
  }

  /** Returns a member that must be a text with at least one character. */
  public String text(String name) {
    JsonNode value = required(name);
    if (!value.isTextual() || value.textValue().isEmpty()) {
      throw bad(name, "must be a text that is not empty, is " + kind(value));
    }
    return value.textValue();
  }

  /** Returns a member that must be true or false; the fallback if it is missing. */
  public boolean flag(String name, boolean fallback) {
    if (!has(name)) {
      return fallback;
    }
    JsonNode value = node.get(name);
    if (!value.isBoolean()) {
      throw bad(name, "must be true or false, is " + kind(value));
    }
    return value.booleanValue();
  }

  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    for (JsonNode element : list(name)) {
      if (!element.isTextual()) {
        throw bad(name, "must hold texts, has " + kind(element));
      }
      texts.add(element.textValue());
    }
    return texts;
  }

  /** Returns a member that must be a list. */
  public JsonNode list(String name) {
    JsonNode value = required(name);
    if (!value.isArray()) {
      throw bad(name, "must be a list, is " + kind(value));
    }
    return value;
  }

  /** Returns a member that must be an integer, not below {@code least}. */
  public int integer(String name, int least) {
    JsonNode value = required(name);
    if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < least) {
      throw bad(name, "must be an integer of at least " + least + ", is " + kind(value));
    }
    return value.intValue();
  }

  /** Returns a member that must be a number. */
  public double number(String name) {
    JsonNode value = required(name);
    if (!value.isNumber()) {
      throw bad(name, "must be a number, is " + kind(value));
    }
    return value.doubleValue();
  }

  /** Returns a member that must be a number; the fallback if it is missing. */
  public double number(String name, double fallback) {
    return has(name) ? number(name) : fallback;
  }

  /** Returns a member that must be an object. */
  public JsonFields object(String name) {
    return of(required(name), where + ", \"" + name + "\"");
  }

  /** Returns a member that must be an object; an empty one if it is missing. */
  JsonFields objectOrEmpty(String name) {
    JsonNode value = has(name) ? node.get(name) : JsonNodeFactory.instance.objectNode();
    return of(value, where + ", \"" + name + "\"");
  }

  /** Returns all members by name. */
  public Set<Map.Entry<String, JsonNode>> members() {
    return node.properties();
  }

  /** Returns the error that a member is wrong, for a reason that begins with a verb. */
  public BadProgramException bad(String name, String reason) {
    return new BadProgramException(where + ": \"" + name + "\" " + reason);
  }

  private JsonNode required(String name) {
    if (!has(name)) {
      throw bad(name, "is missing");
    }
    return node.get(name);
  }

  private static String kind(JsonNode node) {
    String text = node.toString();
    return text.length() > 40 ? text.substring(0, 40) + "..." : text;
  }
}
