package io.hazelgrad.grid.internal.proof;

import io.hazelgrad.grid.spi.Proofs;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proofs by HMAC-SHA256, cut to {@value Proofs#BYTES} bytes. The hash covers the purpose, the
 * length of each part and the parts, so that no two messages have the same input. Threads: safe;
 * each has a {@link Mac} of its own, because making one costs more than a proof.
 */
final class HmacProofs implements Proofs {
  private static final String ALGORITHM = "HmacSHA256";

  private final ThreadLocal<Mac> macs;

  HmacProofs(byte[] secret) {
    SecretKeySpec key = new SecretKeySpec(secret, ALGORITHM);
    this.macs = ThreadLocal.withInitial(() -> mac(key));
  }

  private static Mac mac(SecretKeySpec key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac;
    } catch (GeneralSecurityException e) { // Every JDK has it.
      throw new IllegalStateException(ALGORITHM + " is not there", e);
    }
  }

  @Override
  public boolean areNeeded() {
    return true;
  }

  @Override
  public byte[] of(Purpose purpose, byte[]... parts) {
    ByteBuffer head = ByteBuffer.allocate(1 + Integer.BYTES * parts.length);
    head.put((byte) purpose.code());
    for (byte[] part : parts) {
      head.putInt(part.length);
    }
    Mac mac = macs.get();
    mac.update(head.array());
    for (byte[] part : parts) {
      mac.update(part);
    }
    return Arrays.copyOf(mac.doFinal(), BYTES);
  }

  @Override
  public boolean accept(byte[] proof, Purpose purpose, byte[]... parts) {
    return MessageDigest.isEqual(proof, of(purpose, parts)); // Takes the same time for all bytes.
  }
}
