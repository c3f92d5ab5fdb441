package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Dropout;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.grid.RemoteFunctions;

/**
 * A network of two layers that classifies pictures: FLOAT32 {@code [N, ...]} to {@code [N, 10]}.
 */
@RemoteFunctions
final class PictureNetwork extends Module<Variable, Variable> {
  private static final int WIDTH = 128;
  private static final double DROPPED = 0.2;

  private final int pixels;
  private final Linear hidden;
  private final Dropout dropout;
  private final Linear output;

  PictureNetwork(int pixels, Init init) {
    this.pixels = pixels;
    hidden = child("hidden", new Linear(pixels, WIDTH, init));
    dropout = child("dropout", new Dropout(DROPPED, init));
    output = child("output", new Linear(WIDTH, Digits.CLASSES, init));
  }

  @Override
  public Variable forward(Variable pictures) {
    Variable rows = pictures.reshape(-1, pixels);
    return output.forward(dropout.forward(hidden.forward(rows).relu()));
  }
}
