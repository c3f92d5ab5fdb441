package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.cli.demo.PictureFit;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import io.hazelgrad.launcher.MemberSettings;
import io.hazelgrad.launcher.WorkerProcess;
import io.hazelgrad.launcher.page.PageServer;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page that shows a grid, in a real browser. */
@Timeout(240)
class DashboardTest {
  private static final long PATIENCE_SECONDS = 60;
  private static final String HOSTILE = "<img src=x onerror=\"document.title='taken'\">";
  private static final long HOSTILE_ID = 1L << 40;
  private static final Path PICTURES = Path.of("target", "pictures");

  private static ClusterWithGuest both;
  private static LocalCluster cluster;
  private static Grid here;

  @TempDir Path profile;

  @BeforeAll
  static void start() {
    both = ClusterWithGuest.start(LocalCluster.Spec.of(List.of("A", "B")));
    cluster = both.cluster();
    here = both.here();
  }

  @AfterAll
  static void end() throws Exception {
    both.close();
  }

  /**
   * Enters a client with a hostile name. {@code GridClient} refuses such a name, but a process that
   * reaches the grid's map of clients can write any.
   */
  private static void enterHostileClient() {
    here.hazelcast()
        .<Long, Worker>getMap("hazelgrad.clients")
        .set(HOSTILE_ID, new Worker(HOSTILE, HOSTILE_ID, UUID.randomUUID()));
  }

  /** Returns an expression for the text of a worker's cell. */
  private static String cell(String worker, int column) {
    return "[...document.querySelectorAll('#workers tbody tr')]"
        + ".filter(it => it.cells[0].textContent === '%s').map(it => it.cells[%d].textContent)[0]"
            .formatted(worker, column);
  }

  /** Runs a backward pass over B and then A; returns the id of its context. */
  private static String runPassOverBoth() {
    Variable x = Variable.parameter(Tensor.of(new float[] {1, 2}, 2));
    try (Context context = Autograd.on(here).open()) {
      Variable y = here.rpc().sync("A", Function.<Variable>operator("neg"), x);
      Variable z = here.rpc().sync("B", Function.<Variable>operator("neg"), y);
      context.backward(z.sum());
      return context.id().text();
    }
  }

  /** Returns an expression for the duration of a wave, as the page rounds it. */
  private static String toMillis(PassInfo.WaveTime wave) {
    return "(%s).toFixed(3)".formatted(wave.milliseconds());
  }

  private static String titlesOfWaves() {
    return "[...document.querySelectorAll('#waves .wave title')].map(it => it.textContent).join(';')";
  }

  @Test
  void pageShowsTheGridAndRunsNoNameAsCode() throws Exception {
    List<String> command = new ArrayList<>(WorkerProcess.java(MemberSettings.home()));
    command.add(Main.class.getName());
    command.addAll(List.of(CommandRun.withConnection(cluster, "dashboard", "--port", "0")));
    Process process = new ProcessBuilder(command).start();
    try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        RRef<String> held = RRefs.on(here).remote("A", Relay::name);
        Chromium browser = Chromium.start(profile)) {
      held.creation().join();
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> here.rpc().sync("B", Relay::failing));
      }
      String said = lines.readLine();
      assertThat(said).startsWith("the page is at http://127.0.0.1:");
      browser.driver().get(said.substring(said.indexOf("http")));

      browser.await("all workers", "document.querySelectorAll('#workers tbody tr').length === 3");
      browser.await("failed calls of B", cell("B", 7) + " === '3'");
      browser.await("the object of A", cell("A", 8) + " === '1'");
      browser.await("the handle of here", cell("here", 10) + " === '1'");
      browser.await("a rate", cell("A", 1) + " !== '?'");
      assertThat(browser.script(cell("here", 10)))
          .isEqualTo(String.valueOf(Metrics.of(here).figures().get("rref.num_forks")));
      browser.await(
          "the reference", "document.getElementById('handles').textContent === '1 of 1 handles'");
      assertThat(browser.text("#groups tbody tr"))
          .contains("java.lang.String A here")
          .contains("DashboardTest.java");
      assertThat(browser.script("document.querySelector('#references .edge title').textContent"))
          .isEqualTo("here holds 1 of A");
      browser.await(
          "the client",
          "byId('clients').textContent.includes('<img src=x onerror')",
          DashboardTest::enterHostileClient); // The grid removes it again, as no member knows it.
      assertThat(browser.script("document.title")).isEqualTo("Hazelgrad");
      assertThat(browser.script("document.images.length")).isEqualTo(0L);
      assertThat(browser.text("#jobs")).isEqualTo("none");
      String context = runPassOverBoth();
      browser.await(
          "the waves of the pass", "byId('wavesof').title === 'in context %s'".formatted(context));
      PassInfo pass =
          Autograd.on(here).recentPasses().stream()
              .filter(each -> each.context().equals(context))
              .findAny()
              .orElseThrow();
      assertThat(browser.script(titlesOfWaves()))
          .asString()
          .matches("wave 0 on here.*;wave 1 on B.*;wave 2 on here.*;wave 3 on A.*;wave 4 on here.*")
          .contains("wave 1 on B: " + browser.script(toMillis(pass.times().get(1))) + " ms");
      CompletableFuture<Boolean> stuck = here.rpc().async("A", Stuck::meet, "tea");
      browser.await(
          "the barrier that B has not reached",
          "byId('findings').textContent.includes('B has not reached it')");
      assertThat(browser.text("#findings h3.bad")).startsWith("ABSENT for ");
      stuck.cancel(true);
      assertThat(browser.driver().manage().logs().get("browser").getAll()).isEmpty();

      assertThat(
              new ProcessBuilder("kill", "-TERM", Long.toString(process.pid())).start().waitFor())
          .isZero();
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      browser.await("the loss of the page", "!document.getElementById('trouble').hidden");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static String status(URI page, String host) throws Exception {
    try (Socket socket = new Socket(page.getHost(), page.getPort())) {
      socket
          .getOutputStream()
          .write(
              "GET /api/workers HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                  .formatted(host)
                  .getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void pageIsRefusedUnderTheNameOfAnotherHost() throws Exception {
    try (PageServer page = PageServer.open(here, 0)) {
      assertThat(status(page.uri(), "127.0.0.1:" + page.uri().getPort())).contains("200");
      assertThat(status(page.uri(), "localhost:1")).contains("200");
      assertThat(status(page.uri(), "evil.example")).contains("403");
      assertThatThrownBy(() -> PageServer.open(here, page.uri().getPort()))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("cannot open the page at 127.0.0.1:" + page.uri().getPort());
    }
    assertThatThrownBy(() -> PageServer.open(here, 65_536)).hasMessageContaining("65536");
  }

  @Test
  @Tag("slow")
  void picturesOfTrainingLeakAndPassesAreMade() throws Exception {
    for (int i = 0; i < 5; i++) {
      var unused = runPassOverBoth();
    }
    TrainingJob job =
        TrainingJobs.on(here)
            .start(
                "digits", new PictureFit(null), TrainingOptions.builder().epochs(100_000).build());
    List<RRef<String>> leak = new ArrayList<>();
    try (PageServer page = PageServer.open(here, 0);
        Chromium browser = Chromium.start(profile, "--force-device-scale-factor=1")) {
      for (int i = 0; i < 40; i++) {
        leak.add(RRefs.on(here).remote(i % 4 == 0 ? "B" : "A", Relay::name));
      }
      browser.driver().get(page.uri().toString());
      browser.await(
          "many steps", "losses.has('digits') && losses.get('digits').lines.data[0].length > 12");
      browser.await("handles of 10 s", "handles.filter(it => it.ageMillis > 10000).length === 40");
      browser.driver().executeScript("byId('older').value = '10000'; showReferences(handles)");
      assertThat(browser.text("#handles")).isEqualTo("40 of 40 handles");
      assertThat(browser.text("#groups tbody tr"))
          .contains("java.lang.String A here")
          .contains(" 30 ");
      assertThat(browser.text("#jobs h3")).isEqualTo("digits");
      assertThat(browser.text("#jobs p")).contains("RUNNING").contains("trainers A B here");
      assertThat(browser.text("#steps tbody tr")).startsWith("digits A ");
      browser.picture(PICTURES.resolve("training.png"), "main section:nth-of-type(3)");
      browser.picture(PICTURES.resolve("leak.png"), "main section:nth-of-type(4)");
      browser.await("waves", "document.querySelectorAll('#waves .wave').length === 5");
      browser.picture(PICTURES.resolve("passes.png"), "main section:nth-of-type(5)");
      browser.picture(PICTURES.resolve("page.png"), "body");
    } finally {
      job.cancel();
      job.forget();
      leak.forEach(RRef::close);
    }
  }
}
