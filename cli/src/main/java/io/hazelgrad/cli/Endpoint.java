package io.hazelgrad.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A host, as it was given, and a port. */
record Endpoint(String host, int port) {
  static final int MAX_PORT = 65_535;

  /** Returns whether a server could listen here now. */
  boolean isFree() throws UnknownHostException {
    InetAddress address = InetAddress.getByName(host);
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true); // As Hazelcast: what was closed just now is no obstacle.
      socket.bind(new InetSocketAddress(address, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** Reads {@code host:port} from a command line. */
  static final class Converter implements ITypeConverter<Endpoint> {
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
        // Refused below, as any other text.
      }
      throw new TypeConversionException("'" + text + "' is not of the form host:port");
    }
  }
}
