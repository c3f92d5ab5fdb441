package io.hazelgrad.autograd.internal.pass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.InternalSerializationService;
import com.hazelcast.internal.serialization.impl.DefaultSerializationServiceBuilder;
import com.hazelcast.internal.serialization.impl.HeapData;
import io.hazelgrad.autograd.internal.jet.AutogradSerializerFactory;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Gradients on the wire. */
class GradientMessageTest {
  private final InternalSerializationService serialization =
      new DefaultSerializationServiceBuilder()
          .addDataSerializableFactory(
              AutogradSerializerFactory.FACTORY_ID, new AutogradSerializerFactory())
          .build();

  @Test
  void absentGradientsDoNotTravel() {
    List<Tensor> gradients = new ArrayList<>(Arrays.asList(new Tensor[20]));
    gradients.set(0, Tensor.scalar(0.5));
    gradients.set(9, Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3));
    GradientMessage sent = new GradientMessage(new MessageId(7, 8), gradients);

    GradientMessage arrived = serialization.toObject(serialization.toData(sent));

    assertThat(arrived.message()).isEqualTo(new MessageId(7, 8));
    assertThat(arrived.gradients()).isEqualTo(gradients);
    assertThat(arrived).hasToString("gradients of 7/8 (2 of 20)");
  }

  @Test
  void emptyMessageIsSmall() {
    Data data = serialization.toData(GradientMessage.empty(new MessageId(7, 8), 8));
    assertThat(data.dataSize()).isLessThan(24);
    GradientMessage arrived = serialization.toObject(data);
    assertThat(arrived.gradients()).hasSize(8).containsOnlyNulls();
  }

  @Test
  void damagedBytesAreRefused() {
    GradientMessage sent = new GradientMessage(new MessageId(7, 8), List.of(Tensor.scalar(1)));
    int inner = 21; // after Hazelcast's own head come 7, 8, the count, the bitmap, the type
    for (int damaged : new int[] {inner + 2, inner + 4}) {
      byte[] bytes = serialization.toData(sent).toByteArray();
      bytes[damaged] = 99;
      assertThatThrownBy(() -> serialization.toObject(new HeapData(bytes)))
          .hasMessageContaining("damaged bytes");
    }
  }
}
