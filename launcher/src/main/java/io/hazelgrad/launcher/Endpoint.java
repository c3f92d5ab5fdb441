package io.hazelgrad.launcher;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A host name or address, as the user gave it, and a port. */
public record Endpoint(String host, int port) {
  static final int MAX_PORT = 65_535;
  private static final int LOWEST_FREE_PORT = 20_000;
  private static final int HIGHEST_FREE_PORT = 32_000;

  /**
   * Returns a free port of the loopback interface that is not in {@code taken}, and adds it there.
   * It lies below those of outgoing connections, which could otherwise take it before its server
   * starts.
   */
  public static int freePort(Set<Integer> taken) {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST_FREE_PORT, HIGHEST_FREE_PORT);
      if (!taken.contains(port) && isFree(InetAddress.getLoopbackAddress(), port)) {
        taken.add(port);
        return port;
      }
    }
  }

  private static boolean isFree(InetAddress address, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      // As Hazelcast does: a port that was closed just now can be used.
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(address, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Throws {@link BadInputException} if no server could listen here; {@code hostOption} gave the
   * host.
   */
  void requireFree(String hostOption) {
    try {
      if (!isFree(InetAddress.getByName(host), port)) {
        throw new BadInputException(
            "port " + port + " on " + host + " is in use or not permitted; choose another one");
      }
    } catch (UnknownHostException e) {
      throw new BadInputException(hostOption + ": this machine finds no address for " + host, e);
    }
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** Reads {@code host:port} from a command line. */
  public static final class Converter implements ITypeConverter<Endpoint> {
    @Override
    public Endpoint convert(String text) {
      int colon = text.lastIndexOf(':');
      String host = colon < 0 ? "" : text.substring(0, colon);
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      try {
        int port = Integer.parseInt(text.substring(colon + 1));
        if (!host.isEmpty() && port > 0 && port <= MAX_PORT) {
          return new Endpoint(host, port);
        }
      } catch (NumberFormatException e) {
        // Refused below, like every other text that is not an endpoint.
      }
      throw new TypeConversionException("'" + text + "' is not of the form host:port");
    }
  }
}
