package io.hazelgrad.autograd.internal.jobs.steps;

import com.hazelcast.jet.core.Inbox;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** An inbox with items of our own, for a source that restores what it has saved. */
public final class QueueInbox implements Inbox {
  private final Queue<Object> items = new ArrayDeque<>();

  public void addAll(Collection<?> more) {
    items.addAll(more);
  }

  @Override
  public int size() {
    return items.size();
  }

  @Override
  public boolean isEmpty() {
    return items.isEmpty();
  }

  @Override
  public @Nullable Object peek() {
    return items.peek();
  }

  @Override
  public @Nullable Object poll() {
    return items.poll();
  }

  @Override
  public void remove() {
    items.remove();
  }

  @Override
  public Iterator<Object> iterator() {
    return items.iterator();
  }

  @Override
  public void clear() {
    items.clear();
  }
}
