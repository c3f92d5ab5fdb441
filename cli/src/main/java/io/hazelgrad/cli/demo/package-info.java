/** The demos: small trainings on several workers. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.cli.demo;
