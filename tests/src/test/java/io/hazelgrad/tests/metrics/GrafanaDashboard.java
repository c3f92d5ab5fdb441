package io.hazelgrad.tests.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The dashboard for Grafana in dist/grafana.
 *
 * @param queries the queries of all panels
 * @param variables the queries of the variables
 */
record GrafanaDashboard(List<Query> queries, List<String> variables) {
  private static final Path FILE =
      Path.of(System.getProperty("hazelgrad.home", ".."), "dist", "grafana", "hazelgrad.json");
  private static final Pattern METRIC = Pattern.compile("(hazelgrad_\\w+)(?:\\{([^}]*)})?");
  private static final Pattern BY = Pattern.compile("by \\(([^)]*)\\)");
  private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*=");
  private static final Pattern SHOWN = Pattern.compile("\\{\\{(\\w+)}}");
  private static final Pattern VALUES = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");

  /** The query of a curve, and the text that names the curve. */
  record Query(String panel, String expression, String legend) {
    /** Returns the metrics of the query with the labels that it asks of each. */
    Map<String, Set<String>> metrics() {
      Set<String> all = new TreeSet<>();
      BY.matcher(expression)
          .results()
          .forEach(it -> all.addAll(List.of(it.group(1).split(", *", -1))));
      SHOWN.matcher(legend).results().forEach(it -> all.add(it.group(1)));
      Map<String, Set<String>> metrics = new LinkedHashMap<>();
      for (MatchResult metric : METRIC.matcher(expression).results().toList()) {
        Set<String> labels = metrics.computeIfAbsent(metric.group(1), it -> new TreeSet<>(all));
        if (metric.group(2) != null) {
          LABEL.matcher(metric.group(2)).results().forEach(it -> labels.add(it.group(1)));
        }
      }
      return metrics;
    }

    /** Returns the query with values in place of the variables. */
    String forEveryWorker(String interval) {
      return expression.replace("$__rate_interval", interval).replace("$worker", ".*");
    }
  }

  static GrafanaDashboard read() throws IOException {
    JsonNode all = new ObjectMapper().readTree(FILE.toFile());
    List<Query> queries = new ArrayList<>();
    for (JsonNode panel : all.get("panels")) {
      for (JsonNode target : panel.path("targets")) {
        queries.add(
            new Query(
                panel.get("title").asText(),
                target.get("expr").asText(),
                target.get("legendFormat").asText()));
      }
    }
    List<String> variables = new ArrayList<>();
    for (JsonNode variable : all.at("/templating/list")) {
      if (variable.get("type").asText().equals("query")) {
        variables.add(variable.at("/query/query").asText());
      }
    }
    return new GrafanaDashboard(queries, variables);
  }

  /** Returns the metric and the label of the query of a variable. */
  static Map.Entry<String, String> values(String query) {
    var found = VALUES.matcher(query);
    if (!found.matches()) {
      throw new AssertionError("not label_values(METRIC, LABEL): " + query);
    }
    return Map.entry(found.group(1), found.group(2));
  }
}
