/** The list of all operations and the backend, which the public catalogue loads. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.catalogue;
