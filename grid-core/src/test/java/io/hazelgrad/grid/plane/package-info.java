/** Tests of the tensor plane's parts; those of the whole lie in the module {@code tests}. */
@NullMarked
package io.hazelgrad.grid.plane;

import org.jspecify.annotations.NullMarked;
