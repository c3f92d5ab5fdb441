package io.hazelgrad.grid.elsewhere;

/** A class of another package, with a protected method. */
public class Base {
  protected Base() {}

  protected String inherited(String text) {
    return "inherited " + text;
  }
}
