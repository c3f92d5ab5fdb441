package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The members of a JSON object. Errors name the place of a member that is missing or wrong. */
record JsonFields(JsonNode node, String where) {
  static JsonFields of(JsonNode node, String where) {
    if (!node.isObject()) {
      throw new BadProgramException(where + ": must be an object, is " + kind(node));
    }
    return new JsonFields(node, where);
  }

  boolean has(String name) {
    return node.hasNonNull(name);
  }

  String text(String name) {
    JsonNode value = required(name);
    if (!value.isTextual() || value.textValue().isEmpty()) {
      throw bad(name, "must be a text that is not empty, is " + kind(value));
    }
    return value.textValue();
  }

  boolean flag(String name, boolean fallback) {
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

  JsonNode list(String name) {
    JsonNode value = required(name);
    if (!value.isArray()) {
      throw bad(name, "must be a list, is " + kind(value));
    }
    return value;
  }

  /** Returns a member that must be an object; an empty one if it is missing. */
  JsonFields objectOrEmpty(String name) {
    JsonNode value = has(name) ? node.get(name) : JsonNodeFactory.instance.objectNode();
    return of(value, where + ", \"" + name + "\"");
  }

  Set<Map.Entry<String, JsonNode>> members() {
    return node.properties();
  }

  BadProgramException bad(String name, String reason) {
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
