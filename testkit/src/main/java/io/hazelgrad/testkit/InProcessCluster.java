package io.hazelgrad.testkit;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A grid for tests whose workers are members in this JVM. Threads: not safe. */
final class InProcessCluster implements GridCluster {
  private final List<String> initial;
  private final InProcessGrids grids;
  private final Leftovers.Checked checked;

  private InProcessCluster(List<String> names, InProcessGrids grids) {
    initial = names;
    this.grids = grids;
    checked =
        new Leftovers.Checked(
            () -> WorkerProbe.leftoversIn(grid()), grids::names, List::of, grids::ports);
  }

  static InProcessCluster start(List<String> names, Class<?>... functions) {
    List<String> all = new ArrayList<>(List.of(DRIVER));
    all.addAll(names);
    UnaryOperator<HazelgradConfig.Builder> settings = builder -> builder.functions(functions);
    InProcessCluster cluster =
        new InProcessCluster(names, InProcessGrids.join(settings, all.toArray(String[]::new)));
    Leftovers.opened(cluster.checked);
    return cluster;
  }

  @Override
  public Grid grid() {
    return grids.grid(DRIVER);
  }

  @Override
  public List<String> workerNames() {
    return grids.names().stream().filter(name -> !name.equals(DRIVER)).sorted().toList();
  }

  @Override
  public ClientConfig clientConfig() {
    return grids.clientConfig();
  }

  @Override
  public void kill(String worker) {
    grids.kill(running(worker));
  }

  @Override
  public void stop(String worker) {
    grids.leave(running(worker));
  }

  private String running(String worker) {
    if (!workerNames().contains(worker)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "no worker %s runs beside the driver, only %s".formatted(worker, workerNames()));
    }
    return worker;
  }

  @Override
  public void start(String worker) {
    Grid unused = grids.add(worker);
    await("worker " + worker + " is in the grid", () -> WorkerProbe.names(grid()).contains(worker));
  }

  @Override
  public void startMissing() {
    Set<String> living = grids.names();
    initial.stream().filter(worker -> !living.contains(worker)).forEach(this::start);
  }

  @Override
  public void freeze(String worker) {
    throw needsJvms("freeze");
  }

  @Override
  public void thaw(String worker) {
    throw needsJvms("thaw");
  }

  @Override
  public void cut(String one, String other) {
    throw needsJvms("cut");
  }

  @Override
  public void heal() {
    throw needsJvms("heal");
  }

  private static GridException needsJvms(String what) {
    return new GridException(
        Status.BAD_ARGUMENT,
        what
            + " needs workers with JVMs of their own; these are members in one JVM: remove"
            + " inProcess = true");
  }

  @Override
  public void awaitPeace() {
    awaitWorkers(initial.toArray(String[]::new));
    await(
        "all workers agree that they are the grid",
        () -> grids.names().stream().allMatch(it -> WorkerProbe.agrees(grids.grid(it))));
  }

  @Override
  public void close() {
    Leftovers.closed(checked);
    grids.close();
  }
}
