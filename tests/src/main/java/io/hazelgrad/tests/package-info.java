/** The test kit: a cluster of JVMs that tests start, kill, freeze, cut and heal. */
@NullMarked
package io.hazelgrad.tests;

import org.jspecify.annotations.NullMarked;
