package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.cluster.Address;
import com.hazelcast.jet.config.ProcessingGuarantee;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.jet.core.Outbox;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.jet.core.Vertex;
import com.hazelcast.jet.core.Watermark;
import com.hazelcast.jet.pipeline.Pipeline;
import com.hazelcast.jet.pipeline.Sinks;
import io.hazelgrad.autograd.internal.jobs.steps.QueueInbox;
import io.hazelgrad.autograd.jobs.StreamProgram;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A stream's source, made and read on one member as if the job had no other: no part of it travels,
 * so it may be made of lambdas, which the members' filters would refuse.
 *
 * <p>It fails if the source has sent rows since it was made and saves nothing into a snapshot: such
 * a source could not be read again from there, and rows would be lost.
 */
final class StreamReader implements Processor {
  private final Processor source;
  private final ProcessorSupplier supplier;
  private final String name;
  private final LocalRun run;
  private final SnapshotRequests snapshots;
  private final QueueInbox restoring = new QueueInbox();
  private @Nullable Outbox outbox;
  private boolean hasSent;
  private boolean isUncommitted;

  /** True while the source may finish the item that it has begun to send, but begin no other. */
  private boolean isBlocked;

  private State state = State.RESTORING;

  /** The entries that the source has saved so far. */
  private List<Map.Entry<Object, Object>> saved = new ArrayList<>();

  /** The entries that the source has saved, on their way among its rows. */
  record Position(List<Map.Entry<Object, Object>> saved) {}

  private enum State {
    /** The source takes the entries that it had saved. */
    RESTORING,
    /** The source ends its restoring. */
    RESTORED,
    /** The source sends rows. */
    READING,
    /** The source says where it is. */
    SAVING,
    /** The saved entries are on their way to the sequencer. */
    SENDING,
    /** The source takes note that its position is stored. */
    COMMITTING
  }

  private StreamReader(
      Processor source,
      ProcessorSupplier supplier,
      String name,
      LocalRun run,
      @Nullable StreamPosition position) {
    this.source = source;
    this.supplier = supplier;
    this.name = name;
    this.run = run;
    this.snapshots = run.snapshots();
    if (position == null) {
      state = State.READING;
    } else {
      restoring.addAll(position.saved());
    }
  }

  /** Makes the source of a program. */
  static StreamReader of(
      StreamProgram<?, ?> program,
      LocalRun run,
      @Nullable StreamPosition position,
      ProcessorSupplier.Context context) {
    Vertex vertex = vertex(program);
    ProcessorSupplier.Context alone = alone(ProcessorSupplier.Context.class, context);
    Address address = context.hazelcastInstance().getCluster().getLocalMember().getAddress();
    try {
      ProcessorMetaSupplier meta = vertex.getMetaSupplier();
      meta.init(alone);
      ProcessorSupplier supplier = meta.get(List.of(address)).apply(address);
      supplier.init(alone);
      Processor source = supplier.get(1).iterator().next();
      return new StreamReader(source, supplier, vertex.getName(), run, position);
    } catch (Exception e) {
      throw new GridException(
          Status.BAD_ARGUMENT, "the source %s cannot begin: %s".formatted(vertex.getName(), e), e);
    }
  }

  @SuppressWarnings("removal") // Jet has no other public way from a source to its vertex.
  private static Vertex vertex(StreamProgram<?, ?> program) {
    Pipeline pipeline = Pipeline.create();
    pipeline.readFrom(program.rows()).withoutTimestamps().writeTo(Sinks.noop());
    DAG dag = pipeline.toDag();
    List<Vertex> vertices = new ArrayList<>();
    for (Iterator<Vertex> each = dag.iterator(); each.hasNext(); ) {
      vertices.add(each.next());
    }
    List<Vertex> sources =
        vertices.stream().filter(each -> dag.getInboundEdges(each.getName()).isEmpty()).toList();
    if (sources.size() != 1 || vertices.size() != 2) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "a source has one vertex, but that of %s has %s"
              .formatted(program.getClass().getName(), vertices));
    }
    return sources.get(0);
  }

  /**
   * Returns a context that says that the job runs on this member only. Jet's contexts have more
   * methods with each version; the others go to the real one.
   */
  @SuppressWarnings("unchecked") // A proxy of the interface.
  private static <C extends ProcessorMetaSupplier.Context> C alone(Class<C> type, C context) {
    int[] partitions =
        IntStream.range(0, context.hazelcastInstance().getPartitionService().getPartitions().size())
            .toArray();
    Address address = context.hazelcastInstance().getCluster().getLocalMember().getAddress();
    return (C)
        Proxy.newProxyInstance(
            StreamReader.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "memberCount", "totalParallelism", "localParallelism" -> 1;
                  case "memberIndex", "globalProcessorIndex", "localProcessorIndex" -> 0;
                  case "memberPartitions", "processorPartitions" -> partitions.clone();
                  case "processingGuarantee" -> ProcessingGuarantee.EXACTLY_ONCE;
                  case "partitionAssignment" -> Map.of(address, partitions.clone());
                  default -> {
                    try {
                      yield method.invoke(context, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  }
                });
  }

  @Override
  public boolean isCooperative() {
    return source.isCooperative();
  }

  @Override
  public void init(Outbox jetOutbox, Context context) throws Exception {
    outbox = jetOutbox;
    source.init(new SourceOutbox(jetOutbox), alone(Context.class, context));
  }

  /** Keeps what the source saves. */
  private final class SourceOutbox implements Outbox {
    private final Outbox jet;

    SourceOutbox(Outbox jet) {
      this.jet = jet;
    }

    @Override
    public int bucketCount() {
      return jet.bucketCount();
    }

    @Override
    public boolean offer(int ordinal, Object item) {
      return isOpen() && jet.offer(ordinal, item);
    }

    @Override
    public boolean offer(int[] ordinals, Object item) {
      return isOpen() && jet.offer(ordinals, item);
    }

    private boolean isOpen() {
      hasSent = true;
      return !isBlocked || jet.hasUnfinishedItem();
    }

    @Override
    public boolean offerToSnapshot(Object key, Object value) {
      saved.add(new SimpleImmutableEntry<>(key, value));
      return true;
    }

    @Override
    public boolean hasUnfinishedItem() {
      return jet.hasUnfinishedItem();
    }
  }

  /**
   * Does a part of the work; a source's snapshot falls between two of its own parts. A stream ends
   * when all steps are made, whether or not its source has more rows.
   */
  @Override
  public boolean complete() {
    if (run.isOver() && !Objects.requireNonNull(outbox).hasUnfinishedItem()) {
      return true;
    }
    switch (state) {
      case RESTORING -> {
        if (restoring.isEmpty()) {
          state = State.RESTORED;
        } else {
          source.restoreFromSnapshot(restoring);
        }
      }
      case RESTORED -> state = source.finishSnapshotRestore() ? State.READING : state;
      case READING -> {
        if (isUncommitted) { // The position is on its way, or being stored.
          isUncommitted = snapshots.isUnderWay();
          state = isUncommitted ? State.READING : State.COMMITTING;
        } else if (snapshots.isSourceAsked()) {
          // Otherwise a source that is faster than the trainers would have an unfinished item
          // always.
          isBlocked = Objects.requireNonNull(outbox).hasUnfinishedItem();
          if (!isBlocked) {
            saved = new ArrayList<>();
            state = State.SAVING;
          }
        }
        if (state == State.READING) {
          return source.complete();
        }
      }
      case SAVING -> {
        if (source.saveToSnapshot() && source.snapshotCommitPrepare()) {
          requireSaved();
          state = State.SENDING;
        }
      }
      case SENDING -> {
        if (Objects.requireNonNull(outbox).offer(new Position(saved))) {
          isUncommitted = true;
          state = State.READING;
        }
      }
      case COMMITTING ->
          state = source.snapshotCommitFinish(!snapshots.isPutOff()) ? State.READING : state;
    }
    return false;
  }

  private void requireSaved() {
    if (hasSent && saved.isEmpty()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the source %s has sent rows, but saves nothing into snapshots, so it could not go on"
                  .formatted(name)
              + " after a loss; use a source that can be replayed, or give SourceBuilder"
              + " snapshot functions");
    }
  }

  @Override
  public boolean tryProcessWatermark(Watermark watermark) {
    return source.tryProcessWatermark(watermark);
  }

  @Override
  public boolean closeIsCooperative() {
    return source.closeIsCooperative();
  }

  @Override
  public void close() throws Exception {
    source.close();
    supplier.close(null);
  }
}
