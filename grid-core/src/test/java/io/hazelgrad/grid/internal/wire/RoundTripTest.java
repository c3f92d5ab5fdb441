package io.hazelgrad.grid.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is sent arrives, whatever it is. Values are made from seeds; a failure names its seed, and
 * {@code -Dhazelgrad.seed=} tries another range. (jqwik does not run on JUnit 6.)
 */
class RoundTripTest {
  private static final long FIRST = Long.getLong("hazelgrad.seed", 20_261_121L);

  private final ValueCodec codec = TestCodecs.codec();

  @ParameterizedTest(name = "of {0} levels")
  @ValueSource(ints = {0, 1, 2, 3, 5, 8})
  void valuesOfEveryKindArriveAsTheyWereSent(int levels) {
    for (int i = 0; i < 1500; i++) {
      long seed = FIRST + i;
      Object value = new RandomValues(new SplittableRandom(seed)).value(levels);
      byte[] bytes = TestCodecs.encode(codec, value);
      Object arrived = TestCodecs.decode(codec, bytes);
      assertThat(RandomValues.same(value, arrived))
          .as("seed %s, levels %s: %s arrived as %s", seed, levels, value, arrived)
          .isTrue();
      assertThat(TestCodecs.encode(codec, arrived)).as("seed %s, again", seed).isEqualTo(bytes);
    }
  }

  @Test
  void comparisonSeesDifferences() {
    int different = 0;
    for (int i = 0; i < 1000; i++) {
      Object a = new RandomValues(new SplittableRandom(FIRST + i)).value(3);
      Object b = new RandomValues(new SplittableRandom(FIRST + i + 1)).value(3);
      Object again = new RandomValues(new SplittableRandom(FIRST + i)).value(3);
      assertThat(RandomValues.same(a, again)).isTrue();
      different += RandomValues.same(a, b) ? 0 : 1;
    }
    assertThat(different).isGreaterThan(950);
  }

  @Test
  void stringsOfEveryKindArrive() {
    SplittableRandom random = new SplittableRandom(FIRST);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      char[] chars = new char[random.nextInt(40)];
      int kind = random.nextInt(4);
      for (int k = 0; k < chars.length; k++) {
        chars[k] =
            switch (kind) {
              case 0 -> (char) random.nextInt(0x80);
              case 1 -> (char) random.nextInt(0x800);
              case 2 -> (char) random.nextInt(0x10000);
              default -> (char) random.nextInt(0xd700, 0xe100);
            };
      }
      texts.add(new String(chars));
    }
    assertThat(TestCodecs.roundTrip(codec, texts)).isEqualTo(texts);
  }

  @Test
  void largeMessageArrives() {
    List<Object> large = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      large.add(i % 2 == 0 ? "text ☃ " + i : new double[] {i, i + 1});
    }
    List<Object> arrived = TestCodecs.roundTrip(codec, large);
    assertThat(arrived).hasSameSizeAs(large);
    assertThat(Arrays.deepEquals(arrived.toArray(), large.toArray())).isTrue();
  }
}
