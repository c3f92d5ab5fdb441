package io.hazelgrad.grid.internal.wire;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Damages messages as an accident or an attacker would. */
final class Mutations {
  private static final byte[] AWKWARD = {0, 1, 2, 0x7f, (byte) 0x80, (byte) 0xff, 11, 16, 22};

  private Mutations() {}

  static byte[] mutate(List<byte[]> good, SplittableRandom random) {
    byte[] bytes = good.get(random.nextInt(good.size())).clone();
    for (int n = random.nextInt(3); n >= 0 && bytes.length > 0; n--) {
      bytes = once(bytes, good, random);
    }
    return bytes;
  }

  private static byte[] once(byte[] bytes, List<byte[]> good, SplittableRandom random) {
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(8)) {
      case 0 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 1 -> bytes[at] = (byte) random.nextInt();
      case 2 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 3 -> bytes[at] = AWKWARD[random.nextInt(AWKWARD.length)];
      case 4 -> bytes[at]++;
      case 5 -> { // Something too many.
        byte[] longer = new byte[bytes.length + 1];
        System.arraycopy(bytes, 0, longer, 0, at);
        longer[at] = (byte) random.nextInt();
        System.arraycopy(bytes, at, longer, at + 1, bytes.length - at);
        return longer;
      }
      case 6 -> { // Something too few.
        byte[] shorter = Arrays.copyOf(bytes, bytes.length - 1);
        System.arraycopy(bytes, at + 1, shorter, at, shorter.length - at);
        return shorter;
      }
      default -> { // A part of another message.
        byte[] other = good.get(random.nextInt(good.size()));
        int from = random.nextInt(other.length);
        int count = Math.min(random.nextInt(40), Math.min(other.length - from, bytes.length - at));
        System.arraycopy(other, from, bytes, at, count);
      }
    }
    return bytes;
  }
}
