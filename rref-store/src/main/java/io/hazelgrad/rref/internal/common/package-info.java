/** Small helpers that all internal packages of remote references share. */
@NullMarked
package io.hazelgrad.rref.internal.common;

import org.jspecify.annotations.NullMarked;
