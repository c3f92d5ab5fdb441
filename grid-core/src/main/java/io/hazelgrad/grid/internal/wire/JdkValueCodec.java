package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.internal.wire.ValueCodec.Tag;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;

/** The wire form of the JDK's immutable values beside strings and boxes. */
final class JdkValueCodec {
  private static final int BIG_INTEGER = Tag.PLAIN;
  private static final int BIG_DECIMAL = Tag.PLAIN + 1;
  private static final int UNIQUE = Tag.PLAIN + 2;
  private static final int DURATION = Tag.PLAIN + 3;
  private static final int INSTANT = Tag.PLAIN + 4;
  private static final int DATE = Tag.PLAIN + 5;
  private static final int TIME = Tag.PLAIN + 6;
  private static final int DATE_TIME = Tag.PLAIN + 7;
  private static final int OFFSET_DATE_TIME = Tag.PLAIN + 8;

  private JdkValueCodec() {}

  /** Writes the value with its tag, if it is of these kinds; returns whether it is. */
  static boolean write(Object value, WireOutput out) {
    if (value instanceof UUID u) {
      out.int8(UNIQUE).uuid(u);
    } else if (value instanceof Duration d) {
      out.int8(DURATION).int64(d.getSeconds()).int32(d.getNano());
    } else if (value instanceof Instant i) {
      out.int8(INSTANT).int64(i.getEpochSecond()).int32(i.getNano());
    } else if (value.getClass() == BigInteger.class) {
      out.int8(BIG_INTEGER).bytes(((BigInteger) value).toByteArray());
    } else if (value.getClass() == BigDecimal.class) {
      BigDecimal d = (BigDecimal) value;
      out.int8(BIG_DECIMAL).int32(d.scale()).bytes(d.unscaledValue().toByteArray());
    } else if (value instanceof LocalDate d) {
      out.int8(DATE).int64(d.toEpochDay());
    } else if (value instanceof LocalTime t) {
      out.int8(TIME).int64(t.toNanoOfDay());
    } else if (value instanceof LocalDateTime t) {
      dateTime(t, out.int8(DATE_TIME));
    } else if (value instanceof OffsetDateTime t) {
      dateTime(t.toLocalDateTime(), out.int8(OFFSET_DATE_TIME));
      out.int32(t.getOffset().getTotalSeconds());
    } else {
      return false;
    }
    return true;
  }

  private static void dateTime(LocalDateTime value, WireOutput out) {
    out.int64(value.toLocalDate().toEpochDay()).int64(value.toLocalTime().toNanoOfDay());
  }

  static boolean isTag(int tag) {
    return tag >= BIG_INTEGER && tag <= OFFSET_DATE_TIME;
  }

  static Object read(int tag, WireInput in) {
    try {
      return switch (tag) {
        case BIG_INTEGER -> new BigInteger(in.bytes());
        case BIG_DECIMAL -> {
          int scale = in.int32();
          yield new BigDecimal(new BigInteger(in.bytes()), scale);
        }
        case UNIQUE -> in.uuid();
        case DURATION -> Duration.ofSeconds(in.int64(), nano(in));
        case INSTANT -> Instant.ofEpochSecond(in.int64(), nano(in));
        case DATE -> LocalDate.ofEpochDay(in.int64());
        case TIME -> LocalTime.ofNanoOfDay(in.int64());
        case DATE_TIME -> dateTime(in);
        case OFFSET_DATE_TIME ->
            OffsetDateTime.of(dateTime(in), ZoneOffset.ofTotalSeconds(in.int32()));
        default -> throw in.damaged("value tag " + tag);
      };
    } catch (DateTimeException | ArithmeticException e) {
      throw in.damaged("no such time: " + e.getMessage());
    } catch (NumberFormatException e) {
      throw in.damaged("no number: " + e.getMessage());
    }
  }

  private static int nano(WireInput in) {
    int nano = in.int32();
    if (nano < 0 || nano > 999_999_999) {
      throw in.damaged("nanoseconds of a second: " + nano);
    }
    return nano;
  }

  private static LocalDateTime dateTime(WireInput in) {
    return LocalDateTime.of(LocalDate.ofEpochDay(in.int64()), LocalTime.ofNanoOfDay(in.int64()));
  }
}
