/**
 * The log of passes and contexts that SQL and the command line read. Start at {@link
 * HistoryWriter}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.history;

import org.jspecify.annotations.NullMarked;
