/** System tests of training in parallel: it must give the results of one process. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.parallel;
