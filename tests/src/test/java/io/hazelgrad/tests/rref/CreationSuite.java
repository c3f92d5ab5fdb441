package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Workers.driver;
import static io.hazelgrad.tests.rref.Workers.grid;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Member;
import com.hazelcast.partition.Partition;
import com.hazelcast.partition.PartitionService;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.tests.WorkersOnly;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the creation of objects on other workers and on the caller itself. */
abstract class CreationSuite {
  @Test
  void functionResultStaysOnOwner() {
    try (RRef<Integer> ref = rrefs().remote("b", Box::twice, 21)) {
      assertThat(ref.toHere()).isEqualTo(42);
      assertThat(ref.owner()).isEqualTo(grid("b").worker());
      assertThat(ref.isOwner()).isFalse();
      assertThat(ref.id().creator()).isEqualTo(driver().self().id());
      assertThat(rrefs("b").objectCount()).isEqualTo(1);
      ref.creation().join(); // The registry may not know it when its value is here.
      assertThat(rrefs("c").liveCount()).isEqualTo(1);
      assertThat(ref).asString().contains(ref.id().toString(), "fork", "owner b");
    }
  }

  @Test
  void entriesAreInOnePartitionOnMemberOfOwner() {
    // The creations may have begun before each member had its partitions.
    Await.until(
        Workers.DEADLINE,
        () -> {
          List<Partition> used = partitionsOfBoxes(600);
          boolean isOfB = used.stream().allMatch(CreationSuite::isOfB);
          return isOfB && used.size() >= 3 && used.size() <= 4 ? "" : "rows of 256, not " + used;
        });
  }

  private static List<Partition> partitionsOfBoxes(int count) {
    PartitionService partitions = grid("a").hazelcast().getPartitionService();
    List<RRef<Box>> boxes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boxes.add(rrefs().remote("b", Box::new, i));
    }
    boxes.forEach(RRef::close);
    return boxes.stream().map(box -> partitions.getPartition(box.id())).distinct().toList();
  }

  private static boolean isOfB(Partition partition) {
    Member member = partition.getOwner();
    return member != null && member.getUuid().equals(grid("b").worker().incarnation());
  }

  @Test
  void constructorCreatesObject() {
    try (RRef<Box> box = rrefs().remote("b", Box::new, 5)) {
      assertThat(box.sync(Box::get)).isEqualTo(5);
    }
  }

  @Test
  void operatorCreatesTensor() {
    Tensor one = Tensor.of(new double[] {1, 2}, 2);
    try (RRef<Tensor> sum = rrefs().remote("b", Function.operator("add"), one, one)) {
      assertThat(sum.toHere()).isEqualTo(Tensor.of(new double[] {2, 4}, 2));
    }
  }

  @Test
  void resultMayBeNull() {
    try (RRef<String> ref = rrefs().remote("b", Box::nothing)) {
      assertThat(ref.toHere()).isNull();
    }
  }

  @Test
  @WorkersOnly
  void workerCreatesObjectOnItself() {
    try (RRef<List<Integer>> ref = rrefs().remote("a", Box::numbers, 3)) {
      assertThat(ref.isOwner()).isTrue();
      assertThat(ref.localValue()).isEqualTo(List.of(0, 1, 2)).isSameAs(ref.toHere());
      ref.creation().join();
      assertThat(ref.isConfirmed()).isTrue();
    }
  }

  @Test
  @WorkersOnly
  void localObjectIsUnknownElsewhere() {
    List<Integer> list = new ArrayList<>(List.of(35));
    try (RRef<List<Integer>> ref = rrefs().local(list)) {
      assertThat(ref.hasValue()).isTrue();
      assertThat(ref.localValue()).isSameAs(list);
      assertThat(ref.toHere()).isSameAs(list);
      assertThat(ref.isConfirmed()).isTrue();
      assertThat(rrefs("a").objectCount()).isEqualTo(1);
      assertThat(rrefs("a").liveCount()).isZero();
    }
  }

  @Test
  void manyObjectsAreCreatedConcurrently() {
    List<RRef<List<Integer>>> refs = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      refs.add(rrefs().remote(i % 2 == 0 ? "b" : "c", Box::numbers, i));
    }
    for (int i = 0; i < 10; i++) {
      assertThat(refs.get(i).toHere()).hasSize(i);
    }
    refs.forEach(RRef::close);
  }

  @Test
  void creationIsConfirmedWhenObjectExists() {
    try (RRef<Box> box = rrefs().remote("b", Box::slowBox, "confirmed")) {
      Signal.named("confirmed").awaitReached();
      assertThat(box.isConfirmed()).isFalse();
      assertThat(box.creation()).isNotDone();
      Signal.named("confirmed").release();
      box.creation().join();
      assertThat(box.isConfirmed()).isTrue();
    }
  }

  @Test
  void creationUsesTwoObjectsOfSameOwner() {
    try (RRef<Integer> one = rrefs().remote("b", Box::twice, 1);
        RRef<Integer> other = rrefs().remote("b", Box::twice, 2);
        RRef<Integer> sum = rrefs().remote("b", Box::sum, one, other)) {
      assertThat(sum.toHere()).isEqualTo(6);
    }
  }
}
