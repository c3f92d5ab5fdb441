package io.hazelgrad.launcher;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The {@code hazelgrad} command. This module has the subcommand {@code member}; {@link
 * CommandProvider}s on the class path add the others, so the process of a worker needs only this
 * module.
 *
 * <p>Exit codes: 0 for success, 1 for a failed run, 2 for a wrong command line or a wrong file that
 * it names. An error is one line on the standard error; {@code --verbose} adds the stack trace and
 * the log.
 */
@Command(
    name = "hazelgrad",
    description = "Remote calls, references and distributed gradients on a Hazelcast grid.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable {
  public static final int OK = 0;
  public static final int FAILED = 1;
  public static final int BAD_INPUT = 2;

  private static final String VERBOSE = "--verbose";
  private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";
  private static final String CONNECTIONS_LOG_LEVEL =
      "org.slf4j.simpleLogger.log.com.hazelcast.internal.server.tcp";
  private static final Set<Status> USER_MISTAKES =
      EnumSet.of(Status.BAD_CONFIG, Status.NAME_TAKEN, Status.BAD_ARGUMENT);

  @Option(
      names = VERBOSE,
      scope = ScopeType.INHERIT,
      description = "Show the log, and stack traces of errors.")
  private boolean verbose;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets the fields. */
  @SuppressWarnings("NullAway.Init")
  Main() {}

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    // Before the first logger is created: a logger keeps the level of its creation.
    if (System.getProperty(LOG_LEVEL) == null) {
      if (Arrays.asList(args).contains(VERBOSE)) {
        System.setProperty(LOG_LEVEL, "info");
      } else if (args.length > 0 && args[0].equals(MemberCommand.NAME)) {
        // A member runs for long. A closed connection is no reason for a warning.
        System.setProperty(LOG_LEVEL, "warn");
        System.setProperty(CONNECTIONS_LOG_LEVEL, "error");
      }
    }
    System.exit(run(new PrintWriter(System.err, true, Charset.defaultCharset()), args));
  }

  /** Runs the command and returns its exit code; errors go to {@code err}. */
  public static int run(PrintWriter err, String... args) {
    CommandLine command =
        commandLine(args)
            .setErr(err)
            .setParameterExceptionHandler(
                (wrong, given) -> {
                  CommandLine line = wrong.getCommandLine();
                  String help = "; see " + line.getCommandSpec().qualifiedName() + " --help";
                  return end(line, BAD_INPUT, wrong, wrong.getMessage() + help);
                })
            .setExecutionExceptionHandler(
                (thrown, line, given) -> end(line, exitCode(thrown), thrown, message(thrown)));
    try {
      return command.execute(args);
    } catch (Error e) { // Such as a linkage error; picocli handles exceptions only.
      return end(command, FAILED, e, e.toString());
    }
  }

  /** Returns the command with all subcommands of the class path, in the order of the help text. */
  public static CommandLine commandLine() {
    CommandLine command = new CommandLine(new Main());
    subcommands().forEach(command::addSubcommand);
    return command;
  }

  /**
   * Returns the command with the one subcommand that the arguments begin with, else with all.
   * Picocli takes some 10 ms to read a subcommand, and a worker needs no other one.
   */
  private static CommandLine commandLine(String... args) {
    return subcommands()
        .filter(type -> args.length > 0 && args[0].equals(name(type)))
        .findFirst()
        .map(type -> new CommandLine(new Main()).addSubcommand(type))
        .orElseGet(Main::commandLine);
  }

  /** Returns the subcommands; those of providers are looked for only if they are reached. */
  private static Stream<Class<?>> subcommands() {
    return Stream.concat(
        Stream.of(MemberCommand.class, ArchiveCommand.class),
        ServiceLoader.load(CommandProvider.class).stream()
            .flatMap(provider -> provider.get().commands().stream()));
  }

  private static String name(Class<?> subcommand) {
    return Objects.requireNonNull(subcommand.getAnnotation(Command.class)).name();
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "the subcommand is missing");
  }

  private static int exitCode(Throwable thrown) {
    boolean isMistake =
        thrown instanceof BadInputException
            || (thrown instanceof GridException e && USER_MISTAKES.contains(e.status()));
    return isMistake ? BAD_INPUT : FAILED;
  }

  private static String message(Throwable thrown) {
    if (thrown instanceof BadInputException || thrown instanceof FailedException) {
      return String.valueOf(thrown.getMessage());
    }
    return thrown instanceof GridException known
        ? known.status() + ": " + known.getMessage()
        : thrown.toString();
  }

  private static int end(CommandLine line, int code, Throwable thrown, String message) {
    PrintWriter err = line.getErr();
    err.println("hazelgrad: " + String.join(" ", message.lines().map(String::strip).toList()));
    if (isVerbose(line)) {
      thrown.printStackTrace(err);
    }
    err.flush();
    return code;
  }

  /** Returns whether a command was given {@code --verbose}. */
  public static boolean isVerbose(CommandLine line) {
    return line.getCommandSpec().root().userObject() instanceof Main main && main.verbose;
  }

  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"hazelgrad " + (version == null ? "(development build)" : version)};
    }
  }
}
