/**
 * The log of backward passes and contexts that SQL, the command line and Management Center read.
 * Start at {@link io.hazelgrad.autograd.internal.history.HistoryWriter}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.history;

import org.jspecify.annotations.NullMarked;
