package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.metrics.CallMetrics;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.metrics.MetricsSnapshot;
import io.hazelgrad.grid.metrics.ServedMetrics;
import io.hazelgrad.grid.spi.GridContext;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import javax.management.openmbean.OpenMBeanAttributeInfoSupport;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;
import javax.management.openmbean.TabularData;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The counters of a worker as a read-only JMX bean {@code
 * io.hazelgrad:type=Grid,instance=...,worker=...}, with the name of the Hazelcast instance. It has
 * an attribute for each figure, and the tables {@code Calls} and {@code Served}. Threads: safe.
 */
record MetricsBean(Metrics metrics) implements DynamicMBean {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsBean.class);
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.\\-]+");
  private static final BeanTable<CallMetrics> CALLS = new BeanTable<>("Calls", MetricTable.CALLS);
  private static final BeanTable<ServedMetrics> SERVED =
      new BeanTable<>("Served", MetricTable.SERVED);

  static void publish(GridContext context, Metrics metrics) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try {
      ObjectName name =
          new ObjectName(
              "io.hazelgrad:type=Grid,instance=%s,worker=%s"
                  .formatted(quoted(context.hazelcast().getName()), quoted(context.self().name())));
      server.registerMBean(new MetricsBean(metrics), name);
      context.onClose(() -> unregister(server, name));
    } catch (JMException e) {
      LOG.warn("the counters of worker {} are not in JMX", context.self().name(), e);
    }
  }

  private static String quoted(String value) {
    return PLAIN.matcher(value).matches() ? value : ObjectName.quote(value);
  }

  private static void unregister(MBeanServer server, ObjectName name) {
    try {
      server.unregisterMBean(name);
    } catch (JMException e) {
      LOG.debug("{} was already unregistered", name, e);
    }
  }

  private Map<String, Object> values() {
    MetricsSnapshot now = metrics.snapshot();
    Map<String, Object> values = new LinkedHashMap<>(now.figures());
    values.put(CALLS.name, CALLS.of(now.calls()));
    values.put(SERVED.name, SERVED.of(now.served()));
    return values;
  }

  @Override
  public Object getAttribute(String name) throws AttributeNotFoundException {
    Object value = values().get(name);
    if (value == null) {
      throw new AttributeNotFoundException(name);
    }
    return value;
  }

  @Override
  public AttributeList getAttributes(String[] names) {
    Map<String, Object> values = values();
    AttributeList found = new AttributeList();
    Arrays.stream(names)
        .filter(values::containsKey)
        .forEach(name -> found.add(new Attribute(name, values.get(name))));
    return found;
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    List<MBeanAttributeInfo> attributes = new ArrayList<>();
    values()
        .forEach(
            (name, value) -> {
              OpenType<?> type =
                  value instanceof TabularData table ? table.getTabularType() : SimpleType.LONG;
              attributes.add(
                  new OpenMBeanAttributeInfoSupport(name, name, type, true, false, false));
            });
    return new MBeanInfo(
        MetricsBean.class.getName(),
        "The counters of a worker",
        attributes.toArray(MBeanAttributeInfo[]::new),
        null,
        null,
        null);
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public @Nullable Object invoke(
      String action, @Nullable Object @Nullable [] arguments, String @Nullable [] types)
      throws ReflectionException {
    throw new ReflectionException(new NoSuchMethodException(action));
  }
}
