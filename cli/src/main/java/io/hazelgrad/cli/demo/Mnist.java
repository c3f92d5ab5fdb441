package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.jobs.IdxFile;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.launcher.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The pictures of MNIST, or of another set in the same format.
 *
 * @param training the pictures for training, [1, 28, 28]
 * @param heldOut the pictures for the accuracy
 */
record Mnist(ImageSet training, ImageSet heldOut) {
  static final int CLASSES = 10;

  private static final int EXTENT = 28;
  private static final float BRIGHTEST = 255;
  private static final String IMAGES = "-images-idx3-ubyte";
  private static final String LABELS = "-labels-idx1-ubyte";
  private static final List<String> FILES =
      List.of("train" + IMAGES, "train" + LABELS, "t10k" + IMAGES, "t10k" + LABELS);

  /**
   * Reads the four files of a folder, each with or without ".gz" at the end of its name.
   *
   * @throws BadInputException if a file is missing or wrong
   */
  static Mnist read(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new BadInputException("there is no folder " + folder);
    }
    List<String> missing =
        FILES.stream().filter(name -> !Files.exists(file(folder, name))).toList();
    if (!missing.isEmpty()) {
      throw new BadInputException(
          folder
              + " lacks "
              + String.join(", ", missing)
              + " (each may also have .gz at the end of its name)");
    }
    List<Path> files = FILES.stream().map(name -> file(folder, name)).toList();
    return new Mnist(images(files.get(0), files.get(1)), images(files.get(2), files.get(3)));
  }

  private static Path file(Path folder, String name) {
    Path plain = folder.resolve(name);
    return Files.exists(plain) ? plain : folder.resolve(name + ".gz");
  }

  private static ImageSet images(Path imageFile, Path labelFile) {
    IdxFile images = read(imageFile, 3);
    IdxFile classes = read(labelFile, 1);
    int[] shape = images.shape();
    if (shape[1] != EXTENT || shape[2] != EXTENT) {
      throw new BadInputException(
          String.format(
              "%s has pictures of %d x %d pixels, but %d x %d are needed",
              imageFile, shape[1], shape[2], EXTENT, EXTENT));
    }
    if (shape[0] != classes.shape()[0]) {
      throw new BadInputException(
          String.format(
              "%s has %d pictures, but %s has %d labels",
              imageFile, shape[0], labelFile, classes.shape()[0]));
    }
    return ImageSet.of(pixels(images.data()), labels(labelFile, classes.data()), 1, EXTENT, EXTENT);
  }

  private static IdxFile read(Path file, int dimensions) {
    try {
      return IdxFile.read(file, dimensions);
    } catch (GridException e) {
      throw new BadInputException(String.valueOf(e.getMessage()), e);
    }
  }

  private static float[] pixels(byte[] data) {
    float[] pixels = new float[data.length];
    for (int i = 0; i < data.length; i++) {
      pixels[i] = (data[i] & 0xff) / BRIGHTEST;
    }
    return pixels;
  }

  private static int[] labels(Path file, byte[] data) {
    int[] labels = new int[data.length];
    for (int i = 0; i < data.length; i++) {
      labels[i] = data[i] & 0xff;
      if (labels[i] >= CLASSES) {
        throw new BadInputException(
            file + " has the label " + labels[i] + " at " + i + "; only 0 to 9 are digits");
      }
    }
    return labels;
  }
}
