package io.hazelgrad.grid.internal.waits;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import io.hazelgrad.grid.waits.Meeting;
import io.hazelgrad.grid.waits.Need;
import io.hazelgrad.grid.waits.TrainingSteps;
import io.hazelgrad.grid.waits.Wait;
import io.hazelgrad.grid.waits.WorkerReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Writes and reads reports. */
public final class ReportCodec {
  private static final List<Wait.Kind> KINDS = List.of(Wait.Kind.values());
  private static final int LEAST_BYTES = 2;

  private ReportCodec() {}

  /** Returns a report as bytes. */
  public static byte[] write(WorkerReport report) {
    WireOutput out = new WireOutput(1024).utf(report.worker());
    writeAll(
        out,
        report.waits(),
        it -> {
          out.varint(KINDS.indexOf(it.kind())).utf(it.id()).utf(it.what()).varint(it.millis());
          out.bool(it.any());
          writeAll(out, it.needs(), need -> out.utf(need.worker()).utf(need.id()));
        });
    writeAll(
        out,
        report.meetings(),
        it -> {
          out.utf(it.id()).utf(it.what());
          writeAll(out, it.members(), out::utf);
          out.varint(it.begun()).varint(it.ended()).varint(it.millis()).varint(it.thread());
        });
    writeAll(
        out,
        report.steps(),
        it -> {
          out.utf(it.training()).varint(it.step()).varint(it.millisSinceStep());
          writeAll(
              out,
              List.copyOf(it.milliseconds().entrySet()),
              part -> out.utf(part.getKey()).float64(part.getValue()));
        });
    writeAll(
        out,
        List.copyOf(report.lost().entrySet()),
        it -> out.utf(it.getKey()).varint(it.getValue()));
    return out.toBytes();
  }

  private static <T> void writeAll(WireOutput out, List<T> all, Consumer<T> write) {
    out.varint(all.size());
    all.forEach(write);
  }

  /** Reads a report; throws BAD_VALUE for other bytes. */
  public static WorkerReport read(byte[] bytes) {
    WireInput in = new WireInput(bytes);
    WorkerReport report =
        new WorkerReport(
            in.utf(),
            readAll(in, () -> wait(in)),
            readAll(in, () -> meeting(in)),
            readAll(in, () -> steps(in)),
            readMap(in, in::varint));
    in.end();
    return report;
  }

  private static Wait wait(WireInput in) {
    long kind = in.varint();
    if (kind < 0 || kind >= KINDS.size()) {
      throw in.damaged("a wait is of kind " + kind);
    }
    return new Wait(
        KINDS.get((int) kind),
        in.utf(),
        in.utf(),
        in.varint(),
        in.bool(),
        readAll(in, () -> new Need(in.utf(), in.utf())));
  }

  private static Meeting meeting(WireInput in) {
    return new Meeting(
        in.utf(),
        in.utf(),
        readAll(in, in::utf),
        in.varint(),
        in.varint(),
        in.varint(),
        in.varint());
  }

  private static TrainingSteps steps(WireInput in) {
    String training = in.utf();
    long step = in.varint();
    long since = in.varint();
    return new TrainingSteps(training, step, since, readMap(in, in::float64));
  }

  private static <T> Map<String, T> readMap(WireInput in, Supplier<T> value) {
    Map<String, T> all = new HashMap<>();
    for (int left = in.count(LEAST_BYTES); left > 0; left--) {
      all.put(in.utf(), value.get());
    }
    return all;
  }

  private static <T> List<T> readAll(WireInput in, Supplier<T> read) {
    int count = in.count(1);
    List<T> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      all.add(read.get());
    }
    return all;
  }
}
