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
public @interface RemoteFunctions {}
