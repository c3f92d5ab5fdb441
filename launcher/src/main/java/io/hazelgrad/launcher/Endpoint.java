package io.hazelgrad.launcher;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
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
   * Reserves a port of the loopback interface for a minute, adds it to {@code taken} and returns
   * it. The port is in TIME_WAIT: this method gives it to nobody else, but a server that reuses
   * addresses, as those of Java do, can bind it. It lies below the ports of outgoing connections.
   */
  public static int freePort(Set<Integer> taken) {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST_FREE_PORT, HIGHEST_FREE_PORT);
      try (ServerSocket server = new ServerSocket()) {
        server.setReuseAddress(false); // Fails for a port in TIME_WAIT.
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        server.setReuseAddress(true); // Lets a server bind it later.
        Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
        server.accept().close(); // Before the client, so that TIME_WAIT is at this end.
        client.close();
        if (taken.add(port)) {
          return port;
        }
      } catch (IOException e) {
        // Somebody has it; another one is tried.
      }
    }
  }

  /** Throws {@link BadInputException} if no server can listen; {@code hostOption} gave the host. */
  void requireFree(String hostOption) {
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new BadInputException(hostOption + ": this machine finds no address for " + host);
    }
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true); // As Hazelcast does: a port that was closed just now is free.
      socket.bind(address);
    } catch (IOException e) {
      throw new BadInputException(
          "port " + port + " on " + host + " is in use or not permitted; choose another one");
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
