/** The list of all operations and the backend, which the public catalogue loads. */
@NullMarked
package io.hazelgrad.autograd.internal.catalogue;

import org.jspecify.annotations.NullMarked;
