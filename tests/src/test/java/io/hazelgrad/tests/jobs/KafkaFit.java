package io.hazelgrad.tests.jobs;

import com.hazelcast.jet.kafka.KafkaSources;
import com.hazelcast.jet.pipeline.StreamSource;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.StreamProgram;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.IntegerDeserializer;

/** Fits a {@link CountedCurve} to the numbers of a topic. */
@RemoteValue
record KafkaFit(String bootstrap, String topic, int size, int batch)
    implements StreamProgram<CountedCurve, Integer> {
  @Override
  public CountedCurve model() {
    return new CountedCurve(size);
  }

  @Override
  public LocalOptimizer optimizer(CountedCurve model) {
    return model.optimizer(batch);
  }

  @Override
  public Variable loss(CountedCurve model, List<Integer> numbers) {
    Delays.some(); // Slow enough that a death comes in the middle.
    return model.loss(numbers);
  }

  @Override
  public StreamSource<Integer> rows() {
    Properties settings = new Properties();
    settings.setProperty("bootstrap.servers", bootstrap);
    settings.setProperty("key.deserializer", IntegerDeserializer.class.getName());
    settings.setProperty("value.deserializer", IntegerDeserializer.class.getName());
    settings.setProperty("auto.offset.reset", "earliest");
    return KafkaSources.<Integer, Integer, Integer>kafka(settings, ConsumerRecord::value, topic);
  }
}
