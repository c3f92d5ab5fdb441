/**
 * The log of passes and contexts that SQL and the command line read. Start at {@link
 * HistoryWriter}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.history;
