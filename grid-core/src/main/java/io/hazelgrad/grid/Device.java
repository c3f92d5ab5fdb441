package io.hazelgrad.grid;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place where a tensor can live: {@code cpu}, or {@code gpu:n}.
 *
 * @param kind {@code "cpu"} or {@code "gpu"}
 * @param index the number of the device among its kind, 0 for the CPU
 */
public record Device(String kind, int index) {
  /** The host's memory and processor. */
  public static final Device CPU = new Device("cpu", 0);

  private static final Pattern FORM = Pattern.compile("cpu|gpu:(\\d{1,3})");

  /** Checks the parts. */
  public Device {
    if (!(kind.equals("cpu") && index == 0) && !(kind.equals("gpu") && index >= 0)) {
      throw new IllegalArgumentException(
          "a device is cpu or gpu:n with n >= 0: kind=" + kind + " index=" + index);
    }
  }

  /** Reads {@code "cpu"} or {@code "gpu:n"}. */
  public static Device parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a device is cpu or gpu:n: \"" + text + "\"");
    }
    return matcher.group(1) == null ? CPU : new Device("gpu", Integer.parseInt(matcher.group(1)));
  }

  @Override
  public String toString() {
    return kind.equals("cpu") ? "cpu" : kind + ":" + index;
  }
}
