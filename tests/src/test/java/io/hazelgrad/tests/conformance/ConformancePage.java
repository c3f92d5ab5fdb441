package io.hazelgrad.tests.conformance;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the tables of {@code docs/conformance.md} from the list and the annotations. */
final class ConformancePage {
  private static final String NOT_HERE = "not here: ";

  private final PeerTestIndex index;
  private final List<String> problems = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();

  private ConformancePage(PeerTestIndex index) {
    this.index = index;
  }

  static ConformancePage of(PeerTestList list, PeerTestIndex index) {
    ConformancePage page = new ConformancePage(index);
    list.sections().forEach(page::section);
    for (String name : index.names()) {
      if (!list.names().contains(name)) {
        page.problems.add(name + " is in a @PeerTest and not in peer-tests.txt");
      }
    }
    return page;
  }

  /** Returns all sections with their tables. */
  String text() {
    return text.toString();
  }

  /** Returns the contradictions between list and annotations, and the rows without a test. */
  List<String> problems() {
    return problems;
  }

  /** Adds a section. Tests of the peer with the same cells share a row. */
  private void section(PeerTestList.Section section) {
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (PeerTestList.Entry entry : section.entries()) {
      rows.computeIfAbsent(cells(entry), cells -> new ArrayList<>()).add("`" + entry.name() + "`");
    }
    text.append(text.isEmpty() ? "" : "\n").append("## ").append(section.title()).append("\n\n");
    text.append("| test | member to member | client to member |\n|---|---|---|\n");
    rows.forEach(
        (cells, names) ->
            text.append("| ").append(String.join(", ", names)).append(cells).append("\n"));
  }

  private String cells(PeerTestList.Entry entry) {
    Set<String> byMember = index.byMember(entry.name());
    Set<String> byClient = index.byClient(entry.name());
    String member = cell(entry.name() + ", member to member", byMember, entry.member());
    if (member.startsWith(NOT_HERE)) {
      if (!byClient.isEmpty() || !entry.client().isEmpty()) {
        problems.add(entry.name() + " is not here, and has a cell for clients");
      }
      return " | " + member + " |  |";
    }
    String client = cell(entry.name() + ", client to member", byClient, entry.client());
    boolean same = entry.client().isEmpty() && byClient.equals(byMember);
    return " | " + member + " | " + (same ? "the same test" : client) + " |";
  }

  /** Returns references, reason, or references with a remark, and notes what contradicts. */
  private String cell(String row, Set<String> references, String listed) {
    boolean isRemark = listed.startsWith("; ") || listed.startsWith(": ");
    if (references.isEmpty() && (isRemark || !listed.matches("not here: .+|.*`.+`.*"))) {
      problems.add(row + ": no @PeerTest names it, and peer-tests.txt has no reason");
    } else if (!references.isEmpty() && !isRemark && !listed.isEmpty()) {
      problems.add(row + ": shown by " + references + ", and peer-tests.txt says " + listed);
    }
    return String.join(", ", references) + listed;
  }
}
