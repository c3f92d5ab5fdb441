package io.hazelgrad.launcher.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The content of an answer and its media type. */
@SuppressWarnings("ArrayRecordComponent") // Two answers are never compared.
record PageFile(String type, byte[] bytes) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";
  private static final String UPLOT = "/META-INF/resources/webjars/uplot/";
  private static final String UPLOT_VERSION =
      "/META-INF/maven/org.webjars.npm/uplot/pom.properties";

  private static final Map<String, PageFile> ALL =
      Map.of(
          "/", read("text/html; charset=utf-8", "page.html"),
          "/page.js", read(SCRIPT, "page.js"),
          "/graph.js", read(SCRIPT, "graph.js"),
          "/page.css", read(STYLE, "page.css"),
          "/icon.svg", read("image/svg+xml", "icon.svg"),
          "/uplot.js", read(SCRIPT, UPLOT + uplotVersion() + "/dist/uPlot.iife.min.js"),
          "/uplot.css", read(STYLE, UPLOT + uplotVersion() + "/dist/uPlot.min.css"));

  static @Nullable PageFile byPath(String path) {
    return ALL.get(path);
  }

  static PageFile text(String text) {
    return new PageFile("text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  static PageFile json(JsonNode json) {
    try {
      return new PageFile("application/json", JSON.writeValueAsBytes(json));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("this cannot be written as JSON: " + json, e);
    }
  }

  private static PageFile read(String type, String name) {
    try (InputStream in = open(name)) {
      return new PageFile(type, in.readAllBytes());
    } catch (IOException e) {
      throw new IllegalStateException("cannot read the page's file " + name, e);
    }
  }

  private static InputStream open(String name) {
    InputStream in = PageFile.class.getResourceAsStream(name);
    if (in == null) {
      throw new IllegalStateException("the page's file " + name + " is not on the class path");
    }
    return in;
  }

  private static String uplotVersion() {
    Properties properties = new Properties();
    try (InputStream in = open(UPLOT_VERSION)) {
      properties.load(in);
    } catch (IOException e) {
      throw new IllegalStateException("cannot read the version of uPlot", e);
    }
    return properties.getProperty("version");
  }
}
