package io.hazelgrad.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a page of docs/guides has: blocks {@code java} are files, named by the comment in their
 * first line; a block {@code text} is what the program before it prints.
 *
 * @param files all of them
 * @param programs those with a main method, in the order of the page
 */
record Guide(List<SourceFile> files, List<Program> programs) {
  private static final Pattern BLOCK =
      Pattern.compile("^```(java|text)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern NAME = Pattern.compile("// (\\w+\\.java)");
  private static final String MAIN = "public static void main(";

  /** A file and its whole text. */
  record SourceFile(String name, String text) {
    /** Returns what comes after the line with the name. */
    String body() {
      return text.substring(text.indexOf('\n') + 1);
    }
  }

  /** A class and what it prints. */
  record Program(String name, String output) {}

  /**
   * Reads a page.
   *
   * @throws AssertionError if a file has no name, or a program no output
   */
  static Guide read(Path page) throws IOException {
    List<SourceFile> files = new ArrayList<>();
    List<Program> programs = new ArrayList<>();
    String program = null;
    for (MatchResult block : BLOCK.matcher(Files.readString(page)).results().toList()) {
      String text = block.group(2);
      if (block.group(1).equals("java")) {
        SourceFile file = new SourceFile(name(text, page), text);
        files.add(file);
        if (text.contains(MAIN)) {
          requireOutput(program, page);
          program = file.name().replace(".java", "");
        }
      } else if (program != null) {
        programs.add(new Program(program, text));
        program = null;
      }
    }
    requireOutput(program, page);
    return new Guide(files, programs);
  }

  private static String name(String text, Path page) {
    String first = text.lines().findFirst().orElse("");
    var name = NAME.matcher(first);
    if (!name.matches()) {
      throw new AssertionError(page + " has a file without a name: " + first);
    }
    return name.group(1);
  }

  private static void requireOutput(@Nullable String program, Path page) {
    if (program != null) {
      throw new AssertionError(page + " does not say what " + program + " prints");
    }
  }
}
