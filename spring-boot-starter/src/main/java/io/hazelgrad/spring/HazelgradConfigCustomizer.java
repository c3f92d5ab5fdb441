package io.hazelgrad.spring;

import io.hazelgrad.grid.HazelgradConfig;

/**
 * Changes the configuration of the worker after the properties. Every bean of this type is called,
 * in the order that {@code @Order} gives. It sets what has no property, such as unique names,
 * codecs, device maps and options.
 */
@FunctionalInterface
public interface HazelgradConfigCustomizer {
  /** Changes the configuration before it is built. */
  void customize(HazelgradConfig.Builder builder);
}
