/**
 * System tests of distributed differentiation: each program must give the results of one process.
 */
@NullMarked
package io.hazelgrad.tests.autograd;

import org.jspecify.annotations.NullMarked;
