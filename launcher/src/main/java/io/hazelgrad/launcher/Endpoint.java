package io.hazelgrad.launcher;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A host name or address, as the user gave it, and a port. */
public record Endpoint(String host, int port) {
  static final int MAX_PORT = 65_535;

  /** Returns whether a server could listen at this endpoint now. */
  boolean isFree() throws UnknownHostException {
    InetAddress address = InetAddress.getByName(host);
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(
          true); // As Hazelcast does: a port that was closed just now can be used.
      socket.bind(new InetSocketAddress(address, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Checks that a server could listen at this endpoint now.
   *
   * @param hostOption the command line option that gave the host, for the error message
   * @throws BadInputException if no server could
   */
  void requireFree(String hostOption) {
    try {
      if (!isFree()) {
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
