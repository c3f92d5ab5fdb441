package io.hazelgrad.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the TCP ports on which certain processes listen. A port alone tells nothing about its
 * owner: test classes run side by side, and one may get the port that another has just left.
 *
 * <p>Reads Linux's {@code /proc}; elsewhere it finds nothing.
 */
final class ListeningPorts {
  private static final Path PROC = Path.of("/proc");
  private static final String LISTEN = "0A";
  private static final int STATE = 3;
  private static final int INODE = 9;
  private static final int HEXADECIMAL = 16;

  private ListeningPorts() {}

  /** Returns the ports of all these processes. */
  static Set<Integer> of(Stream<ProcessHandle> processes) {
    Set<String> sockets = new HashSet<>();
    processes.forEach(process -> addSockets(process.pid(), sockets));
    Set<Integer> ports = new HashSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      addPorts(PROC.resolve("net").resolve(table), sockets, ports);
    }
    return ports;
  }

  /** Adds the open sockets of a process, such as {@code socket:[1234]}, where 1234 is an inode. */
  private static void addSockets(long pid, Set<String> sockets) {
    Path open = PROC.resolve(Long.toString(pid)).resolve("fd");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(open)) {
      for (Path file : files) {
        try {
          sockets.add(Files.readSymbolicLink(file).toString());
        } catch (NoSuchFileException e) {
          // It has been closed meanwhile.
        }
      }
    } catch (NoSuchFileException | AccessDeniedException e) {
      // The process has ended, or it is none that this user may look into.
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + open, e);
    }
  }

  /** Adds the ports of a table, see proc(5): the fields are slot, address:port, peer, state, ... */
  private static void addPorts(Path table, Set<String> sockets, Set<Integer> ports) {
    if (!Files.isReadable(table)) {
      return;
    }
    try (Stream<String> lines = Files.lines(table)) {
      for (String line : lines.skip(1).toList()) {
        List<String> fields = List.of(line.strip().split("\\s+"));
        if (fields.get(STATE).equals(LISTEN)
            && sockets.contains("socket:[" + fields.get(INODE) + "]")) {
          String address = fields.get(1);
          ports.add(Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), HEXADECIMAL));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + table, e);
    }
  }
}
