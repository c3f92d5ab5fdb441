package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.internal.member.CallerTombstones;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.spi.CallId;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the calls that came to this worker, so that none runs twice: a window for each
 * caller. It also keeps replies for a while, of calls whose caller may send them again.
 *
 * <p>A window is a bit per number of the caller's, in pages. A page that was not touched for {@link
 * #KEPT_NANOS}, or is one too many, is forgotten, and with it all older numbers: a request with
 * such a number is refused, as it may have run. The window and replies of a caller that was lost or
 * idle go, up to the highest number that came. If the caller comes back, its requests up to that
 * number that are marked as sent again are refused, since the window that knew them is gone.
 *
 * <p>A strict memory refuses every request up to that number. It is for a grid with a secret, where
 * somebody may send an old request once more, with its proof and without that mark.
 *
 * <p>Bounds: 512 bytes for 4,096 calls of a caller, at most 2 MiB for each caller; {@link
 * #MAX_REPLY_BYTES} of replies in all. Threads: safe.
 */
public final class DeduplicationWindow {
  /** The knowledge about a request. */
  public enum Known {
    NEW,
    SEEN,
    FORGOTTEN
  }

  static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final int PAGE_BITS = 4096;
  private static final int MAX_PAGES = 4096;
  private static final long MAX_REPLY_BYTES = 64L << 20;

  /** The bytes of a kept reply beside its arrays. */
  private static final int EACH_BYTES = 256;

  /** The calls of one caller. */
  private static final class Window {
    private final TreeMap<Long, Page> pages = new TreeMap<>();
    private final long before;
    private long highest;
    private long firstPage = Long.MIN_VALUE;
    private boolean closed;

    /** Creates a window; an earlier one may have known the numbers up to {@code before}. */
    Window(long before) {
      this.before = before;
      this.highest = before;
    }

    /** Notes a number; null if this window is closed, and another one counts. */
    synchronized @Nullable Known enter(long sequence, boolean again, long now) {
      if (closed) {
        return null;
      }
      long number = Math.floorDiv(sequence, PAGE_BITS);
      if (number < firstPage) {
        return Known.FORGOTTEN;
      }
      Page page = pages.computeIfAbsent(number, absent -> new Page());
      if (pages.size() > MAX_PAGES) {
        forgetFirst();
      }
      page.touched = now;
      int bit = Math.floorMod(sequence, PAGE_BITS);
      if (page.seen.get(bit)) {
        return Known.SEEN;
      }
      if (again && sequence <= before) {
        return Known.FORGOTTEN;
      }
      page.seen.set(bit);
      highest = Math.max(highest, sequence);
      return Known.NEW;
    }

    synchronized void leave(long sequence) {
      Page page = pages.get(Math.floorDiv(sequence, PAGE_BITS));
      if (page != null) {
        page.seen.clear(Math.floorMod(sequence, PAGE_BITS));
      }
    }

    /** Forgets old pages; returns whether nothing came for long. */
    synchronized boolean sweep(long now) {
      while (pages.size() > 1 && now - pages.firstEntry().getValue().touched > KEPT_NANOS) {
        forgetFirst();
      }
      return pages.isEmpty() || now - pages.firstEntry().getValue().touched > KEPT_NANOS;
    }

    private void forgetFirst() {
      firstPage = pages.pollFirstEntry().getKey() + 1;
    }

    /** Lets nothing in any more; returns the highest number that came. */
    synchronized long close() {
      closed = true;
      return highest;
    }
  }

  private static final class Page {
    final BitSet seen = new BitSet(PAGE_BITS);
    long touched;
  }

  /**
   * A reply that may be asked for again. A failure is kept as the bytes that travel: its causes and
   * stack traces may hold anything, and their size is unknown.
   *
   * @param value null for a failure
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Kept(@Nullable Reply value, byte[] failure, long sinceNanos) {
    static Kept of(Reply reply) {
      Reply value = reply.failure() == null ? reply : null;
      return new Kept(value, reply.failureBytes(), System.nanoTime());
    }

    Reply reply() {
      return value == null ? Reply.read(failure, failure, failure) : value;
    }

    int size() {
      int bytes = value == null ? 0 : value.headers().length + value.values().length;
      return EACH_BYTES + failure.length + bytes;
    }
  }

  private final boolean isStrict;
  private final Map<Long, Window> windows = new ConcurrentHashMap<>();

  /** The callers whose windows went last. */
  private final CallerTombstones gone = new CallerTombstones();

  /** In the order of their ends; under its own lock, with {@link #replyBytes}. */
  private final Map<CallId, Kept> replies = new LinkedHashMap<>();

  private long replyBytes;

  public DeduplicationWindow() {
    this(false);
  }

  /** Creates the memory of a worker. */
  public DeduplicationWindow(boolean isStrict) {
    this.isStrict = isStrict;
  }

  /** Notes a request; {@link Known#NEW} is the answer once for each id. */
  public Known enter(CallId id, boolean again) {
    Known known = null;
    while (known == null) {
      Window window = windows.get(id.caller());
      if (window == null && again && gone.mayContain(id.caller())) {
        return Known.FORGOTTEN;
      }
      if (window == null) {
        window =
            windows.computeIfAbsent(
                id.caller(),
                caller ->
                    new Window(
                        gone.highest(caller, isStrict ? Long.MIN_VALUE : id.sequence() - 1)));
      }
      known = window.enter(id.sequence(), again || isStrict, System.nanoTime());
    }
    return known;
  }

  /** Forgets a request that was refused for want of room: it may come again. */
  public void leave(CallId id) {
    Window window = windows.get(id.caller());
    if (window != null) {
      window.leave(id.sequence());
    }
  }

  /** Keeps a reply for a caller that may send its request again. */
  public void keep(CallId id, Reply reply) {
    synchronized (replies) {
      Kept kept = Kept.of(reply);
      Kept before = replies.put(id, kept);
      replyBytes += kept.size() - (before == null ? 0 : before.size());
      if (replyBytes > MAX_REPLY_BYTES) {
        forgetWhile(oldest -> replyBytes > MAX_REPLY_BYTES);
      }
    }
  }

  private void forgetWhile(Predicate<Kept> isToGo) {
    Iterator<Kept> oldest = replies.values().iterator();
    while (oldest.hasNext()) {
      Kept kept = oldest.next();
      if (!isToGo.test(kept)) {
        return;
      }
      replyBytes -= kept.size();
      oldest.remove();
    }
  }

  /** Returns the reply of a call that has ended, or null if it was not kept. */
  public @Nullable Reply reply(CallId id) {
    synchronized (replies) {
      Kept kept = replies.get(id);
      return kept == null ? null : kept.reply();
    }
  }

  /** Forgets what is older than any sending again. */
  void sweep() {
    long now = System.nanoTime();
    windows.forEach(
        (caller, window) -> {
          if (window.sweep(now)) {
            gone(caller);
          }
        });
    synchronized (replies) {
      forgetWhile(oldest -> now - oldest.sinceNanos > KEPT_NANOS);
    }
  }

  /** A caller was lost. */
  public void lost(long caller) {
    gone(caller);
    synchronized (replies) {
      replies.keySet().removeIf(id -> id.caller() == caller);
      replyBytes = replies.values().stream().mapToLong(Kept::size).sum();
    }
  }

  /** Closes a caller's window. Its number is known before the window is gone. */
  private void gone(long caller) {
    Window window = windows.get(caller);
    if (window == null && isStrict) {
      return; // No request of it came, so none can come again; the room is for those that called.
    }
    gone.add(caller, window == null ? Long.MIN_VALUE : window.close());
    if (window != null) {
      windows.remove(caller, window);
    }
  }

  /** Returns the number of callers that are remembered. */
  public int callers() {
    return windows.size();
  }

  /** Returns the bytes of replies that are kept. */
  public long replyBytes() {
    synchronized (replies) {
      return replyBytes;
    }
  }
}
