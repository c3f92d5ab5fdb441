package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.rref.RRef;
import org.jspecify.annotations.Nullable;

/**
 * An object that cannot be taken for another one, and may hold another one.
 *
 * @param id made up by its creator, given to no other
 * @param inner a stone that lives as long as this one, with the id {@code innerId}
 */
@RemoteFunctions
@RemoteValue
record Stone(long id, @Nullable RRef<Stone> inner, long innerId) {
  static Stone plain(long id) {
    return new Stone(id, null, 0);
  }

  static Stone around(long id, RRef<Stone> inner, long innerId) {
    return new Stone(id, inner, innerId);
  }
}
