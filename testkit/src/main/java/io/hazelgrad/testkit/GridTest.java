package io.hazelgrad.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives tests a grid. A test, its constructor or a {@code @BeforeAll} method takes it as a
 * parameter of type {@link GridCluster}, {@code Grid} or {@code RRefs}.
 *
 * <p>On a class, one grid serves all tests of the class. After each test it is restored: frozen
 * workers go on, cuts are healed, faults are removed, and ended workers are started anew. On a
 * method, the grid is for that test alone.
 *
 * <p>A test fails if it leaves something: references, objects, contexts or calls in the grid;
 * threads, ports or processes of its own. The message names each one. The next test then gets a new
 * grid. These checks are for tests that run one after the other in their JVM.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(GridTestExtension.class)
public @interface GridTest {
  /** The number of workers besides the test's own JVM: {@code w1}, {@code w2} and so on. */
  int workers() default 2;

  /** The names of the workers, in place of their number. */
  String[] names() default {};

  /**
   * Makes the workers members in the test's own JVM. They start faster than JVMs of their own, but
   * cannot be frozen or cut off.
   */
  boolean inProcess() default false;

  /** Makes it possible to cut the network of workers with JVMs of their own; on Linux. */
  boolean cuttable() default false;

  /** The classes whose methods may be called, besides annotated ones. */
  Class<?>[] functions() default {};

  /** The options of the workers' JVMs. */
  String[] jvmOptions() default {};

  /** The time for which the check waits until nothing is left, in milliseconds. */
  long leftoverMillis() default 10_000;
}
