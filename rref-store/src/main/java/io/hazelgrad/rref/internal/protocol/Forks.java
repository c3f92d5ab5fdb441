package io.hazelgrad.rref.internal.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The live forks of one RRef with their holders: an immutable map that shares structure.
 *
 * <p>The map is immutable, because Hazelcast's queries read a stored object on other threads while
 * a partition thread changes the entry. It shares structure, because an RRef may have thousands of
 * forks. A command creates some tens of small objects at any size.
 *
 * <p>It is a treap whose priorities are a hash of the fork id. Its shape depends on its content
 * alone and not on the order of the commands, so equal maps are equal trees.
 */
public record Forks(@Nullable Node root, int size) {
  static final Forks NONE = new Forks(null, 0);

  boolean isEmpty() {
    return size == 0;
  }

  public boolean contains(ForkId fork) {
    Node node = root;
    while (node != null) {
      int order = fork.compareTo(node.fork);
      if (order == 0) {
        return true;
      }
      node = order < 0 ? node.left : node.right;
    }
    return false;
  }

  /** Adds a fork that is not among these. */
  Forks plus(ForkId fork, long holder) {
    return new Forks(insert(root, new Node(fork, holder, null, null)), size + 1);
  }

  /** Removes a fork that is among these. */
  Forks minus(ForkId fork) {
    return new Forks(remove(root, fork), size - 1);
  }

  /** Returns the forks of one holder, in the order of their ids; it looks at every fork. */
  public List<ForkId> heldBy(long incarnation) {
    return toList().stream().filter(fork -> fork.holder() == incarnation).map(Fork::id).toList();
  }

  /** Returns all holders; it looks at every fork. */
  public Set<Long> holders() {
    return toList().stream().map(Fork::holder).collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns all forks in the order of their ids. */
  public List<Fork> toList() {
    List<Fork> all = new ArrayList<>(size);
    collect(root, all);
    return all;
  }

  private static void collect(@Nullable Node node, List<Fork> all) {
    if (node != null) {
      collect(node.left, all);
      all.add(new Fork(node.fork, node.holder));
      collect(node.right, all);
    }
  }

  private static Node insert(@Nullable Node node, Node leaf) {
    if (node == null) {
      return leaf;
    }
    if (leaf.fork.compareTo(node.fork) < 0) {
      Node left = insert(node.left, leaf);
      return left.above(node)
          ? left.with(left.left, node.with(left.right, node.right))
          : node.with(left, node.right);
    }
    Node right = insert(node.right, leaf);
    return right.above(node)
        ? right.with(node.with(node.left, right.left), right.right)
        : node.with(node.left, right);
  }

  private static @Nullable Node remove(@Nullable Node node, ForkId fork) {
    if (node == null) {
      throw new IllegalArgumentException(fork + " is not among these forks");
    }
    int order = fork.compareTo(node.fork);
    if (order == 0) {
      return join(node.left, node.right);
    }
    return order < 0
        ? node.with(remove(node.left, fork), node.right)
        : node.with(node.left, remove(node.right, fork));
  }

  private static @Nullable Node join(@Nullable Node left, @Nullable Node right) {
    if (left == null) {
      return right;
    }
    if (right == null) {
      return left;
    }
    return left.above(right)
        ? left.with(left.left, join(left.right, right))
        : right.with(join(left, right.left), right.right);
  }

  @Override
  public String toString() {
    return toList().toString();
  }

  /** A live handle and the incarnation that holds it. */
  public record Fork(ForkId id, long holder) {
    @Override
    public String toString() {
      return id + " of " + holder;
    }
  }

  record Node(ForkId fork, long holder, @Nullable Node left, @Nullable Node right) {
    Node with(@Nullable Node newLeft, @Nullable Node newRight) {
      return new Node(fork, holder, newLeft, newRight);
    }

    boolean above(Node other) {
      int order = Long.compareUnsigned(priority(), other.priority());
      return order != 0 ? order > 0 : fork.compareTo(other.fork) > 0;
    }

    /** Spreads ids that are mostly consecutive numbers over all longs. */
    private long priority() {
      long hash = fork.issuer() * 0x9E3779B97F4A7C15L + fork.sequence();
      hash = (hash ^ (hash >>> 32)) * 0xBF58476D1CE4E5B9L + fork.index();
      hash = (hash ^ (hash >>> 29)) * 0x94D049BB133111EBL;
      return hash ^ (hash >>> 32);
    }
  }
}
