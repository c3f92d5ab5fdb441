package io.hazelgrad.grid;

/**
 * How values of a type of one's own travel, for types that cannot travel otherwise or should travel
 * in another way. Both sides have the codec, under one name: in {@link
 * HazelgradConfig.Builder#codecs}, or for a while by {@link Codecs#with}.
 *
 * <pre>{@code
 * final class MoneyCodec implements TypeCodec<Money> {
 *   public Class<Money> type() { return Money.class; }
 *   public void write(Money money, ValueOutput out) {
 *     out.raw().int64(money.cents());
 *     out.value(money.currency());   // anything that can travel
 *   }
 *   public Money read(ValueInput in) {
 *     return new Money(in.raw().int64(), in.value(Currency.class));
 *   }
 * }
 * }</pre>
 *
 * <p>Threads: one codec is used by many at once.
 *
 * @param <T> the type
 */
public interface TypeCodec<T> {
  /**
   * Returns the type. Values of exactly this class are the codec's; those of a subclass too, unless
   * another codec is nearer by.
   */
  Class<T> type();

  /** Returns the name by which the other side finds the codec: by default that of the class. */
  default String name() {
    return type().getName();
  }

  /** Writes a value. Whatever it throws refuses the value. */
  void write(T value, ValueOutput out) throws Exception;

  /**
   * Reads what {@link #write} wrote, all of it. The bytes come from another process: check them.
   * Whatever it throws is BAD_VALUE.
   *
   * @return the value, not null
   */
  T read(ValueInput in) throws Exception;
}
