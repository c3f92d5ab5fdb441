package io.hazelgrad.grid;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class whose methods and constructors, except private ones, any worker or client may call.
 * {@link HazelgradConfig.Builder#functions} is for classes that cannot be annotated.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface RemoteFunctions {
  /**
   * Returns the roles of which a caller needs one, see {@link HazelgradConfig.Builder#roles}. None
   * lets every caller in. {@link HazelgradConfig.Builder#functionsFor} on the called worker counts
   * in place of it.
   */
  String[] roles() default {};
}
