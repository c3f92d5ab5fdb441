package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The roles of a caller. They travel with each of its calls, and the proof of a call covers them. A
 * caller without roles sends nothing.
 *
 * @param names in order
 */
public record CallerRoles(Set<String> names) {
  private static final CallerRoles NONE = new CallerRoles(Set.of());

  /** Returns whether the caller has one of these roles. */
  boolean hasOneOf(Collection<String> needed) {
    return needed.stream().anyMatch(names::contains);
  }

  /** Returns the roles of the caller of a request. */
  static CallerRoles of(Incoming request) {
    CallerRoles found = request.attachment(CallerRoles.class);
    return found == null ? NONE : found;
  }

  /** Carries the roles of this worker or client with its calls, and reads those of others. */
  public record Messages(Set<String> own) implements CallInterceptor {
    private static final int HEADER = 41;

    @Override
    public int header() {
      return HEADER;
    }

    @Override
    public void departed(Outgoing message, WireOutput header) {
      if (!own.isEmpty() && message.isRequest() && !message.call().kind().isService()) {
        header.varint(own.size());
        own.forEach(header::utf);
      }
    }

    @Override
    public void arriving(Incoming message, @Nullable WireInput header) {
      if (header == null || !message.isRequest()) {
        return;
      }
      Set<String> names = new TreeSet<>();
      for (int left = header.count(2); left > 0; left--) {
        names.add(header.utf());
      }
      message.attach(CallerRoles.class, new CallerRoles(names));
    }
  }
}
