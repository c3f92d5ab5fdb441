package io.hazelgrad.autograd.internal.jobs;

/** A vertex of a training job; its name is the vertex's. */
enum TrainingKind {
  /** Reads the rows of a stream. */
  SOURCE,
  /** Deals the steps. */
  SEQUENCER,
  /** Makes the steps. */
  TRAINERS
}
