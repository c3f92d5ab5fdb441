package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.TypeCodec;
import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.LocalDevices;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.TensorSource;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wire form of values: a {@linkplain Tag tag}, then the value. {@code docs/calls.md} lists the
 * values that can travel; all others are refused where they are written, by {@link ValueWriter}.
 * {@link ValueReader} believes nothing that arrives.
 *
 * @param hooks carry values of kinds of their own
 * @param codecs the application's own codecs
 */
public record ValueCodec(
    AllowList allowed, List<ValueHook> hooks, Codecs codecs, ObjectCodecs forms) {

  /**
   * The tags that stand before values. Hooks have 100 to 127. Numbers stay what they are: another
   * version may read them.
   */
  static final class Tag {
    static final int NULL = 0;
    static final int TRUE = 1;
    static final int FALSE = 2;
    static final int BYTE = 3;
    static final int SHORT = 4;
    static final int CHAR = 5;
    static final int INT = 6;
    static final int LONG = 7;
    static final int FLOAT = 8;
    static final int DOUBLE = 9;
    static final int STRING = 10;
    static final int LIST = 11;
    static final int MAP = 12;
    static final int ARRAY = 13;
    static final int PRIMITIVES = 14;
    static final int ENUM = 15;
    static final int OBJECT = 16;
    static final int TENSOR = 17;
    static final int WORKER = 18;

    /** A string with half a surrogate pair, which UTF-8 cannot express. */
    static final int CHARS = 19;

    static final int SET = 20;
    static final int OPTIONAL = 21;

    /** The output of a {@link TypeCodec}. */
    static final int OWN = 22;

    /** The first of those of {@link JdkValueCodec}. */
    static final int PLAIN = 32;

    private Tag() {}
  }

  /** Returns the failure of a value that cannot travel or has arrived damaged. */
  static GridException bad(String message) {
    return bad(message, null);
  }

  static GridException bad(String message, @Nullable Throwable cause) {
    return new GridException(Status.BAD_VALUE, message, cause);
  }

  /** Writes values; throws BAD_VALUE or NOT_ALLOWED with the path to what cannot travel. */
  public byte[] encode(List<@Nullable Object> values, Outgoing message) {
    return new ValueWriter(this, message).all(values).toBytes();
  }

  /** Reads values; throws BAD_VALUE or NOT_ALLOWED, whatever is wrong with the bytes. */
  List<@Nullable Object> decode(byte[] bytes, Incoming message) {
    WireInput in =
        new WireInput(bytes, message.attachment(TensorSource.class))
            .devices(message.attachment(LocalDevices.class));
    return new ValueReader(this, in, message).all();
  }
}
