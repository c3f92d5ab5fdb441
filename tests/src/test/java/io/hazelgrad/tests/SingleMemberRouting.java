package io.hazelgrad.tests;

import com.hazelcast.client.config.ClientConfig;

/** The routing of a client by one member, as behind a load balancer. */
public final class SingleMemberRouting {
  private SingleMemberRouting() {}

  /** Lets a client send everything by the member to which it connects first. */
  @SuppressWarnings({"deprecation", "removal"}) // The new way has another package in 5.5.
  public static void set(ClientConfig config) {
    config.getNetworkConfig().setSmartRouting(false);
  }
}
