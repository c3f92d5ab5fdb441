package io.hazelgrad.cli.replay;

/** One step of a program, which {@link StepReader} reads. */
@FunctionalInterface
interface ProgramStep {
  /** Runs the step with the names of an interpreter. */
  void run(Interpreter interpreter);
}
