package io.hazelgrad.autograd.internal.plan;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Formats plans as a table, and in Graphviz's DOT language. */
final class PlanText {
  private PlanText() {}

  static String table(Plan plan) {
    StringBuilder text = new StringBuilder();
    text.append("backward from worker ").append(plan.name(plan.initiator())).append(": ");
    text.append(count(plan.messages().size(), "message")).append(" in ");
    text.append(count(plan.waves(), "wave")).append(", workers ");
    text.append(plan.participants().stream().map(plan::name).collect(Collectors.joining(", ")));
    int wave = 0;
    for (Plan.Entry each : plan.messages()) {
      String head = each.wave() == wave ? "" : "wave " + each.wave();
      wave = each.wave();
      text.append(System.lineSeparator()).append(String.format("%-9s", head));
      text.append(plan.name(each.message().receiver())).append(" -> ");
      text.append(plan.name(each.message().sender())).append(", ").append(of(each));
    }
    return text.toString();
  }

  static String dot(Plan plan) {
    StringBuilder text =
        new StringBuilder("digraph backward {\n  rankdir=LR;\n  node [shape=box];\n");
    wave(text, plan, 0, Set.of(plan.initiator()));
    for (int wave = 1; wave <= plan.waves(); wave++) {
      Set<Long> takers = new LinkedHashSet<>();
      for (Plan.Entry each : plan.messages()) {
        if (each.wave() == wave) {
          takers.add(each.sender());
        }
      }
      wave(text, plan, wave, takers);
    }
    for (Plan.Entry each : plan.messages()) {
      String from = node(each.wave() - 1, each.message().receiver());
      String to = node(each.wave(), each.message().sender());
      line(text, "  " + from + " -> " + to + " [label=" + quoted(of(each)) + "];");
    }
    line(text, "}");
    return text.toString();
  }

  private static void wave(StringBuilder text, Plan plan, int wave, Set<Long> workers) {
    line(text, "  subgraph cluster_" + wave + " {");
    line(text, "    label=" + quoted(wave == 0 ? "roots" : "wave " + wave) + ";");
    for (long worker : workers) {
      line(text, "    " + node(wave, worker) + " [label=" + quoted(plan.name(worker)) + "];");
    }
    line(text, "  }");
  }

  private static void line(StringBuilder text, String line) {
    text.append(line).append('\n');
  }

  private static String node(int wave, long worker) {
    return quoted(wave + ":" + worker);
  }

  private static String of(Plan.Entry entry) {
    return "message " + entry.id() + ", " + count(entry.message().tensors(), "tensor");
  }

  private static String count(int number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
