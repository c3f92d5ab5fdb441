package io.hazelgrad.grid;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place where a tensor can live: {@code cpu}, {@code gpu:n}, or {@code sim:n}, a device that is
 * simulated by the CPU so that programs for several devices can be tested on any machine.
 */
@RemoteValue
public record Device(String kind, int index) {
  /** The largest index. */
  public static final int MAX_INDEX = 999;

  /** The host's memory and processor. */
  public static final Device CPU = new Device("cpu", 0);

  /** The kind of GPUs. */
  public static final String GPU = "gpu";

  private static final String SIM = "sim";
  private static final Pattern FORM = Pattern.compile("cpu|(gpu|sim):(\\d{1,3})");

  /** Checks the parts. */
  public Device {
    boolean counted = (kind.equals(GPU) || kind.equals(SIM)) && index >= 0 && index <= MAX_INDEX;
    if (!counted && !(kind.equals("cpu") && index == 0)) {
      throw new IllegalArgumentException(
          "a device is cpu, gpu:n or sim:n with n from 0 to %s: kind=%s index=%s"
              .formatted(MAX_INDEX, kind, index));
    }
  }

  /** Returns a GPU by its number. */
  public static Device gpu(int index) {
    return new Device(GPU, index);
  }

  /** Returns a simulated device by its number. */
  public static Device sim(int index) {
    return new Device(SIM, index);
  }

  /** Reads {@code "cpu"}, {@code "gpu:n"} or {@code "sim:n"}. */
  public static Device parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a device is cpu, gpu:n or sim:n: \"" + text + "\"");
    }
    return matcher.group(1) == null
        ? CPU
        : new Device(matcher.group(1), Integer.parseInt(matcher.group(2)));
  }

  /** Returns whether it is the host's memory and processor. */
  public boolean isCpu() {
    return kind.equals("cpu");
  }

  /** Returns whether its memory is the host's: whether it is the CPU or simulated by it. */
  public boolean isOfHost() {
    return !kind.equals(GPU);
  }

  @Override
  public String toString() {
    return isCpu() ? "cpu" : kind + ":" + index;
  }
}
