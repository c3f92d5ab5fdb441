package io.hazelgrad.grid;

/** The same collectives of members that have no port: the hosts exchange elements by calls. */
final class CollectiveHostsByCallsTest extends CollectiveHostsTest {
  @Override
  int port() {
    return PlaneConfig.NO_PORT;
  }
}
