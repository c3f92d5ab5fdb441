package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import io.hazelgrad.autograd.internal.jobs.lifecycle.StatusStore;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds training jobs to every grid on whose class path it is. */
public final class TrainingExtension implements GridExtension {
  private static final int AFTER_AUTOGRAD = 30;

  /** The time after which a coordinator tries again to start a job that could not start. */
  private static final String JOB_SCAN_PERIOD = "hazelcast.jet.job.scan.period";

  private static final int SCAN_MILLIS = 500;

  /** A class in the position of Jet's source for Kafka: a name and a number. */
  private static final String KAFKA_POSITION = "org.apache.kafka.common.TopicPartition";

  @Override
  public int order() {
    return AFTER_AUTOGRAD;
  }

  @Override
  public void prepare(Config config, HazelgradConfig worker) {
    config
        .getSerializationConfig()
        .addDataSerializableFactory(
            TrainingSerializerFactory.FACTORY_ID, new TrainingSerializerFactory());
    JavaSerializationFilterConfig filter =
        config.getSerializationConfig().getJavaSerializationFilterConfig();
    if (filter != null) {
      filter.getWhitelist().addClasses(KAFKA_POSITION);
    }
    StatusStore.prepare(config);
    SnapshotStore.prepare(config);
    if (config.getProperty(JOB_SCAN_PERIOD) == null) {
      // By default 5 s: while members change, a job would stand still for so long.
      config.setProperty(JOB_SCAN_PERIOD, Integer.toString(SCAN_MILLIS));
    }
  }

  @Override
  public void prepareClient(ClientConfig config) {
    config
        .getSerializationConfig()
        .addDataSerializableFactory(
            TrainingSerializerFactory.FACTORY_ID, new TrainingSerializerFactory());
  }

  @Override
  public Object start(GridContext context) {
    return new TrainingService(context);
  }

  @Override
  public Object startClient(GridContext context) {
    return new TrainingService(context);
  }
}
