package io.hazelgrad.rref.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.internal.common.ContainedRRefs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContainedRRefsTest {
  private final RRef<String> one = new RRefImpl<>(null, null, null, null);
  private final RRef<String> other = new RRefImpl<>(null, null, null, null);

  private record Pair(Object first, int number, Object second) {}

  private static List<RRef<?>> in(Object value) {
    List<RRef<?>> found = new ArrayList<>();
    ContainedRRefs.in(value, found::add);
    return found;
  }

  @Test
  void referencesAreFoundInListsMapsArraysAndRecords() {
    assertThat(in(one)).containsExactly(one);
    assertThat(in(Arrays.asList(one, null, List.of(other)))).containsExactly(one, other);
    assertThat(in(Map.of("key", one))).containsExactly(one);
    assertThat(in(Map.of(other, 1))).containsExactly(other);
    assertThat(in(new Object[] {1, new RRef<?>[] {one}})).containsExactly(one);
    assertThat(in(new Pair(one, 1, new Pair(null, 2, other)))).containsExactly(one, other);
  }

  @Test
  void referencesAreNotFoundElsewhere() {
    assertThat(in(null)).isEmpty();
    assertThat(in("text")).isEmpty();
    assertThat(in(new int[] {1})).isEmpty();
  }

  @Test
  void referencesAreFoundOnce() {
    assertThat(in(List.of(one, one))).containsExactly(one);
  }

  @Test
  void searchEndsWhenValueContainsItself() {
    List<Object> list = new ArrayList<>(List.of(one));
    Map<String, Object> map = new HashMap<>();
    for (int i = 0; i < 4; i++) {
      list.add(list);
      list.add(map);
      map.put("list" + i, list);
    }
    assertThat(in(list)).containsExactly(one);
  }
}
