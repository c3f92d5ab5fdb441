/** System tests of training jobs: what they compute, and how they go on after losses. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.jobs;
