package io.hazelgrad.rref.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.SerializationConfig;
import com.hazelcast.internal.nio.BufferObjectDataOutput;
import com.hazelcast.internal.serialization.InternalSerializationService;
import com.hazelcast.internal.serialization.impl.DefaultSerializationServiceBuilder;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command.Claim;
import io.hazelgrad.rref.internal.protocol.Command.Create;
import io.hazelgrad.rref.internal.protocol.Command.HolderLost;
import io.hazelgrad.rref.internal.protocol.Command.Keep;
import io.hazelgrad.rref.internal.protocol.Command.OwnerLost;
import io.hazelgrad.rref.internal.protocol.Command.Release;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import io.hazelgrad.rref.internal.protocol.Command.Restore;
import io.hazelgrad.rref.internal.runtime.RRefSerializerFactory;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class SerializationTest {
  private static final InternalSerializationService SERIALIZATION =
      new DefaultSerializationServiceBuilder()
          .setConfig(
              new SerializationConfig()
                  .addDataSerializableFactory(TypeIds.FACTORY, new RRefSerializerFactory()))
          .build();

  private static final ForkId FORK = ForkId.of(1, Long.MAX_VALUE);

  @Test
  void ids() {
    RRefId id = new RRefId(3, 17, -5);
    RRefId copy = copy(id);

    assertThat(copy).isEqualTo(id).hasSameHashCodeAs(id).hasToString("rref 3-17");
    assertThat(copy.creator()).isEqualTo(3);
    assertThat(copy.sequence()).isEqualTo(17);
    assertThat(copy.getPartitionKey()).isEqualTo(-5);
    assertThat(id)
        .isNotEqualTo(new RRefId(4, 17, -5))
        .isNotEqualTo(new RRefId(3, 18, -5))
        .isNotEqualTo(new RRefId(3, 17, 5));
  }

  @Test
  void forkIdsNameTheirKind() {
    assertThat(ForkId.of(3, 17)).hasToString("fork 3-17").isNotEqualTo(ForkId.inReply(3, 17, 0));
    assertThat(ForkId.of(3, 17).isInReply()).isFalse();
    assertThat(ForkId.inReply(3, 17, 0)).hasToString("fork 3-17.1");
    assertThat(ForkId.inReply(3, 17, 0).isInReply()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(RRefState.class)
  void entries(RRefState state) {
    Entry entry = Entry.ABSENT.in(state, 2, state == RRefState.READY ? "java.lang.String" : null);
    for (int i = 0; i < 1_000; i++) {
      entry = entry.withFork(ForkId.inReply(1, i, i), i);
    }
    for (int i = 0; i < 300; i++) {
      entry = entry.withoutFork(ForkId.inReply(1, i, i));
    }

    assertThat(copy(entry)).isEqualTo(entry).hasSameHashCodeAs(entry);
    assertThat(copy(Entry.ABSENT)).isEqualTo(Entry.ABSENT);
  }

  static Command[] commands() {
    return new Command[] {
      new Create(2, FORK, 1),
      new Resolve(2, RRefState.READY, "java.util.List", null, 0),
      new Resolve(2, RRefState.READY, "java.util.List", null, 0, 3),
      new Command.Adopt(1, 4),
      new Command.ValueLost(2),
      new Resolve(2, RRefState.FAILED, null, FORK, 1),
      new Resolve(2, RRefState.TIMED_OUT, null, FORK, 1),
      new Claim(FORK, ForkId.inReply(4, 5, 6), 3, 2),
      new Restore(FORK, 3, 2),
      new Keep(FORK, 2),
      new Release(FORK),
      new HolderLost(3),
      new OwnerLost(2),
    };
  }

  @ParameterizedTest
  @MethodSource("commands")
  void commandsOnTheWire(Command command) throws IOException {
    BufferObjectDataOutput out = SERIALIZATION.createObjectDataOutput();
    CommandCodec.write(command, out);
    byte[] written = out.toByteArray();

    assertThat(CommandCodec.read(SERIALIZATION.createObjectDataInput(written))).isEqualTo(command);
  }

  @Test
  void replies() {
    for (CommandReply.Verdict verdict : CommandReply.Verdict.values()) {
      for (RRefState state : RRefState.values()) {
        CommandReply reply = new CommandReply(verdict, state);
        assertThat(CommandReply.fromCode(reply.toCode())).isEqualTo(reply);
      }
    }
    assertThatThrownBy(() -> CommandReply.fromCode(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CommandReply.fromCode(15))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void unknownBytesAreRefused() {
    assertThatThrownBy(() -> new RRefSerializerFactory().create(99))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Resolve(2, RRefState.GONE, null, null, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static <T> T copy(T object) {
    return SERIALIZATION.toObject(SERIALIZATION.toData(object));
  }
}
