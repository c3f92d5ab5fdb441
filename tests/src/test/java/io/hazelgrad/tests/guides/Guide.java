package io.hazelgrad.tests.guides;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Programs on a page of docs/guides. A block {@code java} is a file; the comment in its first line
 * has its name. A block {@code text} is the output of the program before it.
 *
 * @param files all files
 * @param programs those with a main method, in the order of the page
 */
record Guide(List<SourceFile> files, List<Program> programs) {
  private static final Pattern BLOCK =
      Pattern.compile("^```(java|text)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern NAME = Pattern.compile("// (\\w+\\.java)");
  private static final String MAIN = "public static void main(";

  /** File with its whole text. */
  record SourceFile(String name, String text) {
    /** Returns the text after the line with the name. */
    String body() {
      return text.substring(text.indexOf('\n') + 1);
    }
  }

  /** Class with a main method, and its output. */
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
