/** The demos: small trainings on several workers. */
@NullMarked
package io.hazelgrad.cli.demo;

import org.jspecify.annotations.NullMarked;
