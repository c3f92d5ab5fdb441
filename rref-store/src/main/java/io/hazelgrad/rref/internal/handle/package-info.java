/** The handles of this process, and their forks. Start at {@link HandleTable}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.handle;
