package io.hazelgrad.rref.internal.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What an owner keeps in memory, and for how long. */
class OwnedObjectsTest {
  private final GridException reason = new GridException(Status.RREF_FAILED, "not made");

  private final OwnedObjects objects =
      new OwnedObjects(new ObjectLimits("w", RRefOptions.defaults()));
  private final RRefId id = new RRefId(1, 2, 3);

  /** Counts how often it was closed. */
  private static final class Closeable implements AutoCloseable {
    final AtomicInteger closed = new AtomicInteger();

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private OwnedObject begin(RRefId begun) {
    objects.limits().takeObject();
    return objects.create(begun);
  }

  @Test
  void objectIsClosedWhenItIsDropped() {
    Closeable object = new Closeable();
    begin(id).set(object, List.of());
    objects.drop(id);
    objects.drop(id);
    assertThat(object.closed).hasValue(1);
    assertThat(objects.count()).isZero();
  }

  @Test
  void objectIsClosedAtOnceWhenCreatedAfterDrop() {
    Closeable object = new Closeable();
    OwnedObject owned = begin(id);
    objects.drop(id);
    owned.set(object, List.of());
    assertThat(object.closed).hasValue(1);
    assertThatThrownBy(() -> owned.value().join()).hasMessageContaining("not referenced any more");
  }

  @Test
  void objectIsClosedAtOnceWhenCreatedAfterFailure() {
    Closeable object = new Closeable();
    OwnedObject owned = begin(id);
    owned.fail(reason);
    owned.set(object, List.of());
    assertThat(object.closed).hasValue(1);
    objects.drop(id);
    assertThat(object.closed).hasValue(1);
  }

  @Test
  void objectIsClosedOnceWhenCreatedAndDroppedConcurrently() throws Exception {
    CyclicBarrier start = new CyclicBarrier(2);
    for (int i = 0; i < 500; i++) {
      Closeable object = new Closeable();
      OwnedObject owned = begin(id);
      CompletableFuture<Void> made =
          CompletableFuture.runAsync(
              () -> {
                await(start);
                owned.set(object, List.of());
              });
      await(start);
      objects.drop(id);
      made.get(10, TimeUnit.SECONDS);
      assertThat(object.closed).hasValue(1);
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void objectWithTwoNamesIsClosedWhenSecondIsDropped() {
    Closeable object = new Closeable();
    RRefId other = new RRefId(1, 3, 3);
    begin(id).set(object, List.of());
    begin(other).set(object, List.of());
    objects.drop(id);
    assertThat(object.closed).hasValue(0);
    objects.drop(other);
    assertThat(object.closed).hasValue(1);
  }

  @Test
  void objectIsClosedAfterCallsThatUseIt() {
    Closeable object = new Closeable();
    OwnedObject owned = begin(id);
    owned.set(object, List.of());
    assertThat(owned.use()).isSameAs(object);
    assertThat(owned.use()).isSameAs(object);
    objects.drop(id);
    owned.endUse(Runnable::run);
    assertThat(object.closed).hasValue(0);
    assertThat(owned.use()).as("another call had begun to wait for it").isSameAs(object);
    owned.endUse(Runnable::run);
    owned.endUse(Runnable::run);
    assertThat(object.closed).hasValue(1);
  }

  @Test
  void closedObjectIsUsedByNoCall() {
    Closeable object = new Closeable();
    OwnedObject owned = begin(id);
    owned.set(object, List.of());
    objects.drop(id, reason);
    assertThatThrownBy(owned::use).isSameAs(reason);
    assertThat(object.closed).hasValue(1);
  }

  @Test
  void objectWithoutCloseIsUsedAfterDrop() {
    OwnedObject owned = begin(id);
    owned.set("made", List.of());
    objects.drop(id);
    assertThat(owned.use()).isEqualTo("made");
    owned.endUse(Runnable::run);
  }

  @Test
  void waitLeavesNothingWhenObjectIsUnknown() {
    OwnedObject first = objects.await(id);
    OwnedObject second = objects.await(id);
    assertThat(second).isSameAs(first);
    assertThat(objects.count()).isZero();
    objects.endWait(first);
    assertThat(objects.all()).hasSize(1);
    objects.endWait(second);
    assertThat(objects.all()).isEmpty();
  }

  @Test
  void objectStaysWhenCreatedDuringWait() {
    OwnedObject waited = objects.await(id);
    OwnedObject created = begin(id);
    assertThat(created).isSameAs(waited);
    objects.endWait(waited);
    assertThat(objects.find(id)).isSameAs(created);
    objects.refuse(created, reason);
    assertThat(objects.find(id)).isSameAs(created);
    created.set("made", List.of());
    assertThat(waited.value()).isCompletedWithValue("made");
  }

  @Test
  void waitsEndWhenObjectIsRefused() {
    OwnedObject waited = objects.await(id);
    objects.refuse(waited, reason);
    assertThatThrownBy(() -> waited.value().join()).hasCause(reason);
    assertThat(objects.all()).isEmpty();
    OwnedObject next = objects.await(id);
    objects.endWait(waited);
    assertThat(objects.find(id)).isSameAs(next);
  }
}
