package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failures.assertFails;
import static io.hazelgrad.tests.rref.Workers.closing;
import static io.hazelgrad.tests.rref.Workers.grid;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.HeldRRef;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.rref.RRefTotals;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the explorer: owners, holders and filters. */
abstract class ExplorerSuite {
  @Test
  void handlesAreFoundWithOwnerTypeAndOrigin() {
    try (RRef<String> text = rrefs("a").local("four");
        RRef<Box> box = rrefs("a").remote("b", Box::new, 1)) {
      box.creation().join();
      List<HeldRRef> found = rrefs("c").find(RRefFilter.all().heldBy("a"));
      assertThat(found).hasSize(2);
      HeldRRef ofText = only(found, text);
      assertThat(ofText.owner()).isEqualTo("a");
      assertThat(ofText.holder()).isEqualTo("a");
      assertThat(ofText.state()).isEqualTo("READY");
      assertThat(ofText.type()).isEqualTo("java.lang.String");
      assertThat(ofText.bytes()).isEqualTo(4);
      assertThat(ofText.madeAt()).contains("ExplorerSuite.java");
      HeldRRef ofBox = only(found, box);
      assertThat(ofBox.owner()).isEqualTo("b");
      assertThat(ofBox.type()).isEqualTo(Box.class.getName());
      assertThat(ofBox.ageMillis()).isBetween(0L, Workers.DEADLINE.toMillis());
    }
  }

  private static HeldRRef only(List<HeldRRef> found, RRef<?> rref) {
    List<HeldRRef> rows =
        found.stream().filter(row -> rref.id().toString().contains(row.rref())).toList();
    assertThat(rows).as("%s in %s", rref, found).hasSize(1);
    return rows.get(0);
  }

  @Test
  void holdersHaveOneRowEach() {
    try (RRef<Box> box = rrefs("a").remote("b", Box::new, 1)) {
      assertThat(grid("a").rpc().sync("c", Box::takeBox, box)).isEqualTo("c");
      closing(Box.BOXES.remove(0));
      List<HeldRRef> found = rrefs("a").find(RRefFilter.all().ownedBy("b"));
      assertThat(found).extracting(HeldRRef::holder).containsExactly("a", "c");
      assertThat(found.get(1).madeAt()).contains("received", "takeBox");
      assertThat(rrefs("b").find(RRefFilter.all().ownedBy("c"))).isEmpty();
    }
  }

  @Test
  void filtersSelectHandles() {
    List<RRef<?>> rrefs = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      rrefs.add(closing(rrefs("a").local("text " + i)));
      rrefs.add(closing(rrefs("a").local(new int[i])));
    }
    RRefFilter texts = RRefFilter.all().ofType(String.class);
    assertThat(rrefs("b").find(texts)).hasSize(20);
    assertThat(rrefs("b").find(texts.limit(7))).hasSize(7).doesNotHaveDuplicates();
    assertThat(rrefs("b").find(texts.heldBy("b"))).isEmpty();
    assertThat(rrefs("b").find(texts.olderThan(Duration.ofHours(1)))).isEmpty();
    assertThat(rrefs("b").find(texts.heldBy("nobody"))).isEmpty();
    assertThat(rrefs("b").find(RRefFilter.all())).hasSize(rrefs.size());
  }

  /** There are more handles than one message carries. */
  @Test
  void handlesAreFoundPageByPage() {
    int count = 10_000;
    for (int i = 0; i < count; i++) {
      closing(rrefs("a").local(i));
    }
    List<HeldRRef> found = rrefs("b").find(RRefFilter.all().limit(2 * count));
    assertThat(found).hasSize(count).extracting(HeldRRef::fork).doesNotHaveDuplicates();
    assertThat(rrefs("b").find(RRefFilter.all().ofType(Integer.class).limit(5000))).hasSize(5000);
  }

  @Test
  void rowShowsCreationAndFailure() {
    try (RRef<Box> slow = rrefs("a").remote("b", Box::slowBox, "being made");
        RRef<Box> failing = rrefs("a").remote("b", Box::failingBox, "no box")) {
      Signal.named("being made").awaitReached();
      failing.creation().join();
      List<HeldRRef> found = rrefs("c").find(RRefFilter.all());
      assertThat(only(found, slow).state()).isEqualTo("CREATING");
      assertThat(only(found, slow).bytes()).isEqualTo(-1);
      assertThat(only(found, failing).state()).isEqualTo("FAILED");
      assertThat(only(found, failing).type()).isNull();
      Signal.named("being made").release();
      slow.creation().join();
    }
  }

  @Test
  void rowShowsLossWhenOwnerIsLost() {
    Workers.add("dies");
    try (RRef<Box> box = rrefs("a").remote("dies", Box::new, 1)) {
      box.creation().join();
      Workers.kill("dies");
      Await.until(
          "the box is lost",
          Workers.DEADLINE,
          () -> rrefs("c").find(RRefFilter.all()).get(0).state().equals("LOST"));
      assertThat(rrefs("c").find(RRefFilter.all()).get(0).owner()).isEqualTo("dies");
    }
  }

  @Test
  @PeerTest("test_rref_context_debug_info")
  void totalsAddUpAndReturnToZero() {
    try (RRef<double[]> local = rrefs("b").local(new double[100]);
        RRef<Box> box = rrefs("a").remote("b", Box::new, 1)) {
      box.creation().join();
      assertThat(local.isOwner()).isTrue();
      List<RRefTotals> totals = rrefs("c").totals();
      assertThat(totals).extracting(RRefTotals::worker).containsExactly("a", "b", "c");
      assertThat(totals).extracting(RRefTotals::handles).containsExactly(1L, 1L, 0L);
      assertThat(totals).extracting(RRefTotals::objects).containsExactly(0L, 2L, 0L);
      assertThat(totals).extracting(RRefTotals::bytes).containsExactly(0L, 800L, 0L);
    }
    Workers.awaitNothingLeft();
    assertThat(rrefs("a").totals())
        .allSatisfy(
            each ->
                assertThat(List.of(each.objects(), each.bytes(), each.handles()))
                    .as("%s", each)
                    .containsOnly(0L));
  }

  @Test
  void filterIsRefusedWhenInvalid() {
    assertFails(() -> RRefFilter.all().limit(0), Status.BAD_ARGUMENT, "at least 1: 0");
    assertFails(
        () -> RRefFilter.all().olderThan(Duration.ofSeconds(-1)), Status.BAD_ARGUMENT, "PT-1S");
  }
}
