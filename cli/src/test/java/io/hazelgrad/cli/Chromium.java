package io.hazelgrad.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A Chromium without a window. Closing ends it and its driver. */
record Chromium(ChromeDriver driver) implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Path BROWSER = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

  /** Starts it with a profile in a folder; skips the test where there is none. */
  static Chromium start(Path folder, String... more) {
    Assumptions.assumeTrue(
        Files.isExecutable(BROWSER) && Files.isExecutable(DRIVER),
        "there is no Chromium at " + BROWSER + " with its driver at " + DRIVER);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(BROWSER.toString());
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1200,2400",
        "--user-data-dir=" + folder);
    options.addArguments(List.of(more));
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(DRIVER.toFile())
            .usingAnyFreePort()
            .build();
    return new Chromium(new ChromeDriver(service, options));
  }

  /** Returns the text of an element, in one step: the page replaces its elements each second. */
  String text(String selector) {
    Object text =
        driver.executeScript("return document.querySelector(arguments[0]).innerText", selector);
    return String.valueOf(text).replace('\t', ' '); // Between cells.
  }

  /** Returns what the expression of JavaScript gives. */
  Object script(String expression) {
    return driver.executeScript("return " + expression);
  }

  /** Waits until an expression of JavaScript is true. */
  void await(String what, String condition) {
    await(what, condition, () -> {});
  }

  /** Does something again and again until an expression of JavaScript is true. */
  void await(String what, String condition, Runnable meanwhile) {
    new WebDriverWait(driver, PATIENCE, Duration.ofMillis(100))
        .withMessage(() -> what + "; the page shows:\n" + text("body"))
        .until(
            it -> {
              meanwhile.run();
              return Boolean.TRUE.equals(script(condition));
            });
  }

  /** Writes a picture of the page, or of a part of it. */
  void picture(Path file, String selector) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(
          file, driver.findElement(By.cssSelector(selector)).getScreenshotAs(OutputType.BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    driver.quit();
  }
}
