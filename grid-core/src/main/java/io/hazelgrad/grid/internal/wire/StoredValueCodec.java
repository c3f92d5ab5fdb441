package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values that are kept for later, and perhaps read by another worker, in the form in which they
 * would travel. Values of hooks, as references are, live in messages only, and are refused.
 */
public final class StoredValueCodec {
  private final ValueCodec codec;
  private final CallInfo nobody;

  StoredValueCodec(ValueCodec ofMessages, Worker self) {
    codec =
        new ValueCodec(
            ofMessages.allowed(),
            List.of(new Refused(ofMessages.hooks())),
            ofMessages.codecs(),
            ofMessages.forms());
    nobody = new CallInfo(new CallId(self.id(), 0), self, self, MessageKind.FUNCTION, "to be kept");
  }

  /** As {@link io.hazelgrad.grid.spi.GridContext#toBytes} says. */
  public byte[] encode(@Nullable Object value) {
    return codec.encode(
        Collections.singletonList(value), new Outgoing(new Incoming(nobody, Long.MAX_VALUE)));
  }

  /** As {@link io.hazelgrad.grid.spi.GridContext#fromBytes} says. */
  public @Nullable Object decode(byte[] bytes) {
    List<@Nullable Object> values =
        codec.decode(bytes, new Incoming(new Outgoing(new Incoming(nobody, Long.MAX_VALUE))));
    if (values.size() != 1) {
      throw ValueCodec.bad("one value was kept, not " + values.size());
    }
    return values.get(0);
  }

  /** Stands for all hooks. */
  private record Refused(List<ValueHook> hooks) implements ValueHook {
    @Override
    public int tag() {
      return ValueCodec.Tag.NULL; // Never looked for: that is no hook's.
    }

    @Override
    public boolean owns(Class<?> type) {
      return hooks.stream().anyMatch(hook -> hook.owns(type));
    }

    @Override
    public void write(Object value, Outgoing message, WireOutput out) {
      throw ValueCodec.bad(
          "a value of class "
              + publicType(value.getClass()).getName()
              + " cannot be kept: it lives with its worker, and in messages");
    }

    /** Returns the type that a user knows: for an implementation, its interface. */
    private static Class<?> publicType(Class<?> type) {
      Class<?>[] interfaces = type.getInterfaces();
      return interfaces.length > 0 ? interfaces[0] : type;
    }

    @Override
    public Object read(Incoming message, WireInput in) {
      throw in.damaged("a tag that is no value's");
    }
  }
}
