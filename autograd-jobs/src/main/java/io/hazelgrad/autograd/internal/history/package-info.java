/** The log of passes and contexts for SQL and tools. Start at {@link HistoryWriter}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.history;
