/** Tests of what the demos are made of. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.cli.demo;
