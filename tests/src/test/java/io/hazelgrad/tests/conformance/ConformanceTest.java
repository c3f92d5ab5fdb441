package io.hazelgrad.tests.conformance;

import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.ClientSuite;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** All tests of the peer that need only its four workers, which are started once. */
@ExtendWith({FourWorkers.class, Leftovers.class})
class ConformanceTest {
  @Nested
  class Identity extends Identities {}

  @Nested
  @ClientSuite
  class IdentityOfClient extends Identities {}

  @Nested
  class Join extends Joining {}

  @Nested
  class Call extends Calls {}

  @Nested
  @ClientSuite
  class CallOfClient extends Calls {}

  @Nested
  class UnderLoad extends Stress {}

  @Nested
  @ClientSuite
  class UnderLoadOfClient extends Stress {}

  @Nested
  class Failure extends Errors {}

  @Nested
  @ClientSuite
  class FailureOfClient extends Errors {}

  @Nested
  class OfFuture extends Futures {}

  @Nested
  @ClientSuite
  class OfFutureOfClient extends Futures {}

  @Nested
  class WaitForAll extends WaitAll {}

  @Nested
  @ClientSuite
  class WaitForAllOfClient extends WaitAll {}

  @Nested
  class Meeting extends Meetings {}

  @Nested
  class AsyncFunction extends AsyncFunctions {}

  @Nested
  @ClientSuite
  class AsyncFunctionOfClient extends AsyncFunctions {}

  @Nested
  class Timeout extends Timeouts {}

  @Nested
  @ClientSuite
  class TimeoutOfClient extends Timeouts {}

  @Nested
  class Script extends Scripts {}

  @Nested
  @ClientSuite
  class ScriptOfClient extends Scripts {}

  @Nested
  class Reference extends References {}

  @Nested
  class Optimization extends Optimizers {}

  @Nested
  @ClientSuite
  class OptimizationOfClient extends Optimizers {}

  @Nested
  class OfModule extends Modules {}

  @Nested
  @ClientSuite
  class OfModuleOfClient extends Modules {}

  @Nested
  class Example extends Examples {}

  @Nested
  @ClientSuite
  class ExampleOfClient extends Examples {}

  @Nested
  class Gradient extends Gradients {}

  @Nested
  @ClientSuite
  class GradientOfClient extends Gradients {}

  @Nested
  class Recording extends Recordings {}

  @Nested
  @ClientSuite
  class RecordingOfClient extends Recordings {}

  @Nested
  class BackwardValue extends BackwardValues {}

  @Nested
  @ClientSuite
  class BackwardValueOfClient extends BackwardValues {}

  @Nested
  class BackwardError extends BackwardErrors {}

  @Nested
  @ClientSuite
  class BackwardErrorOfClient extends BackwardErrors {}

  @Nested
  @ClientSuite
  class ReferenceOfClient extends References {}

  @Nested
  class ReferenceType extends ReferenceTypes {}

  @Nested
  @ClientSuite
  class ReferenceTypeOfClient extends ReferenceTypes {}

  @Nested
  class OwnCodec extends OwnCodecs {}

  @Nested
  @ClientSuite
  class OwnCodecOfClient extends OwnCodecs {}

  @Nested
  class Outcome extends Outcomes {}

  @Nested
  @ClientSuite
  class OutcomeOfClient extends Outcomes {}

  @Nested
  class GraphScript extends GraphScripts {}

  @Nested
  @ClientSuite
  class GraphScriptOfClient extends GraphScripts {}

  @Nested
  class Leave extends Leaving {}

  @Nested
  class Figure extends Figures {}

  @Nested
  @ClientSuite
  class FigureOfClient extends Figures {}

  @Nested
  class Profiler extends Profiling {}

  @Nested
  @ClientSuite
  class ProfilerOfClient extends Profiling {}

  @Nested
  class Fault extends Faulting {}

  @Nested
  @ClientSuite
  class FaultOfClient extends Faulting {}
}
