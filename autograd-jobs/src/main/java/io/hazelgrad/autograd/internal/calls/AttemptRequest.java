package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** A request to coordinate an attempt: the spec of each host, and the host of each client. */
record AttemptRequest(PassId pass, Map<Long, PassSpec> specs, Map<Long, Long> relays) {
  AttemptRequest {
    specs = Collections.unmodifiableMap(new LinkedHashMap<>(specs));
    relays = Map.copyOf(relays);
  }

  /** Creates the request for a plan, with the host of each worker and client of it. */
  static AttemptRequest of(PassSpec pass, Plan plan, Map<Long, Long> hosts) {
    Map<Long, PassSpec> specs = new LinkedHashMap<>();
    plan.parts(hosts).forEach((host, parts) -> specs.put(host, pass.with(parts)));
    Map<Long, Long> relays = new HashMap<>(hosts);
    relays.entrySet().removeIf(each -> each.getKey().equals(each.getValue()));
    return new AttemptRequest(pass.pass(), specs, relays);
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
