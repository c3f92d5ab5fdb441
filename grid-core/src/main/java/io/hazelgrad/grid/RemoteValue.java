package io.hazelgrad.grid;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class whose values may travel in calls: an enum; a record; a class with a constructor
 * without parameters and fields that are not final; one with a Compact serializer in the Hazelcast
 * configuration; the component type of an array, also an interface. An exception so marked arrives
 * at the caller as itself. {@link HazelgradConfig.Builder#values} is for types that cannot be
 * annotated.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface RemoteValue {}
