package io.hazelgrad.tests;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the tests of torch.distributed.rpc that a test of ours covers. The tables of {@code
 * docs/conformance.md} are generated from these annotations.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(PeerTest.All.class)
public @interface PeerTest {

  /** Returns names from {@code conformance/peer-tests.txt}. */
  String[] value();

  /**
   * Returns whether the test covers the column "client to member" only. A test that workers and
   * clients both run covers both columns without this.
   */
  boolean client() default false;

  /** The container of repeated annotations. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface All {
    PeerTest[] value();
  }
}
