/** Distributed differentiation: each program gives what it gives in one process. */
@NullMarked
package io.hazelgrad.tests.autograd;

import org.jspecify.annotations.NullMarked;
