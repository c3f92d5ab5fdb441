package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * A request to coordinate an attempt.
 *
 * @param pass the attempt
 * @param specs the spec of each host, by its id
 * @param relays the host of each client, by the client's id; every other worker is its own host
 */
record AttemptRequest(PassId pass, Map<Long, PassSpec> specs, Map<Long, Long> relays) {
  AttemptRequest {
    specs = Collections.unmodifiableMap(new LinkedHashMap<>(specs));
    relays = Map.copyOf(relays);
  }

  /**
   * Creates the request for a plan.
   *
   * @param hosts the host of each worker and client of the plan
   * @param spec makes a host's spec from the parts of its workers
   */
  static AttemptRequest of(
      PassId pass, Plan plan, Map<Long, Long> hosts, Function<Map<Long, PlanPart>, PassSpec> spec) {
    Map<Long, Map<Long, PlanPart>> parts = new LinkedHashMap<>();
    Map<Long, Long> relays = new LinkedHashMap<>();
    for (long worker : plan.participants()) {
      long host = Objects.requireNonNull(hosts.get(worker));
      parts.computeIfAbsent(host, any -> new LinkedHashMap<>()).put(worker, plan.part(worker));
      if (host != worker) {
        relays.put(worker, host);
      }
    }
    Map<Long, PassSpec> specs = new LinkedHashMap<>();
    parts.forEach((host, of) -> specs.put(host, spec.apply(of)));
    return new AttemptRequest(pass, specs, relays);
  }

  void write(WireOutput out) {
    writeRelays(relays, out);
    out.varint(specs.size());
    specs.forEach(
        (host, spec) -> {
          out.varint(host);
          spec.write(out);
        });
  }

  static AttemptRequest read(WireInput in) {
    Map<Long, Long> relays = readRelays(in);
    Map<Long, PassSpec> specs = new LinkedHashMap<>();
    PassId pass = null;
    for (int count = in.count(8); count > 0; count--) {
      long host = in.varint();
      PassSpec spec = PassSpec.read(in);
      pass = spec.pass();
      specs.put(host, spec);
    }
    if (pass == null) {
      throw in.damaged("an attempt without hosts");
    }
    return new AttemptRequest(pass, specs, relays);
  }

  static void writeRelays(Map<Long, Long> relays, WireOutput out) {
    out.varint(relays.size());
    relays.forEach((client, host) -> out.varint(client).varint(host));
  }

  static Map<Long, Long> readRelays(WireInput in) {
    Map<Long, Long> relays = new LinkedHashMap<>();
    for (int count = in.count(2); count > 0; count--) {
      relays.put(in.varint(), in.varint());
    }
    return relays;
  }
}
