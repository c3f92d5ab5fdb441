package io.hazelgrad.cli.replay;

import java.util.List;

/** One step of a program. Names stand for variables and remote references. */
sealed interface ProgramStep {
  /** Applies an operation on the worker that runs the step. */
  record Apply(String operator, List<String> inputs, String out) implements ProgramStep {}

  /** Calls a worker; the result is returned, or with {@code remote} stays there as an RRef. */
  record Call(String to, Work work, List<String> inputs, String out, boolean remote)
      implements ProgramStep {}

  /** Creates an RRef to a local value. */
  record MakeRRef(String value, String out) implements ProgramStep {}

  /** Gets the value of an RRef: a copy, or with {@code local} the owner's object itself. */
  record Fetch(String rref, String out, boolean local) implements ProgramStep {}

  /** Runs steps in a context of their own. */
  record InContext(List<ProgramStep> steps) implements ProgramStep {}

  /** Runs backward from scalars in the current context. */
  record Backward(List<String> roots, boolean retainGraph) implements ProgramStep {}

  /** Records values and every worker's gradients. */
  record Check(String label, List<String> values) implements ProgramStep {}

  /** Runs lists of steps at the same time. */
  record Parallel(List<List<ProgramStep>> branches) implements ProgramStep {}

  /** The work of a call on its callee. */
  sealed interface Work {}

  /** An operation of the catalogue. */
  record Operator(String name) implements Work {}

  /** Steps, as the text in which they travel. */
  record Steps(String json) implements Work {}
}
