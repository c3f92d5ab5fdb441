/** Types that other modules of Hazelgrad meet in the arguments of calls through references. */
@NullMarked
package io.hazelgrad.rref.spi;

import org.jspecify.annotations.NullMarked;
