/** The demos: small trainings that use the whole grid. */
@NullMarked
package io.hazelgrad.cli.demo;

import org.jspecify.annotations.NullMarked;
