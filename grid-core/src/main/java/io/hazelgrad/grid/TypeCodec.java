package io.hazelgrad.grid;

/**
 * The way of values of one type, for types that cannot travel otherwise or should travel in another
 * way. Both sides have the codec, under one name: in {@link HazelgradConfig.Builder#codecs}, or for
 * a while by {@link Codecs#with}. Many threads use one codec at once.
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
 */
public interface TypeCodec<T> {
  /** Returns the type. Values of subclasses too are the codec's, unless another codec is nearer. */
  Class<T> type();

  /** Returns the name by which the other side finds the codec: by default that of the class. */
  default String name() {
    return type().getName();
  }

  /** Writes a value. Whatever it throws refuses the value. */
  void write(T value, ValueOutput out) throws Exception;

  /**
   * Reads all that {@link #write} wrote, and returns the value, which is not null. The bytes come
   * from another process: check them. Every exception becomes BAD_VALUE.
   */
  T read(ValueInput in) throws Exception;
}
