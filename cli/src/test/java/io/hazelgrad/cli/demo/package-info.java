/** Tests of what the demos are made of. */
@NullMarked
package io.hazelgrad.cli.demo;

import org.jspecify.annotations.NullMarked;
