package io.hazelgrad.tests.conformance;

import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.OfClients;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** All tests of the peer that need no more than its four workers, who are started only once. */
@ExtendWith({FourWorkers.class, Leftovers.class})
class ConformanceTest {
  @Nested
  class Identity extends Identities {}

  @Nested
  @OfClients
  class IdentityOfClient extends Identities {}

  @Nested
  class Join extends Joining {}

  @Nested
  class Call extends Calls {}

  @Nested
  @OfClients
  class CallOfClient extends Calls {}

  @Nested
  class UnderLoad extends Stress {}

  @Nested
  @OfClients
  class UnderLoadOfClient extends Stress {}

  @Nested
  class Failure extends Errors {}

  @Nested
  @OfClients
  class FailureOfClient extends Errors {}

  @Nested
  class OfFuture extends Futures {}

  @Nested
  @OfClients
  class OfFutureOfClient extends Futures {}

  @Nested
  class WaitForAll extends WaitAll {}

  @Nested
  @OfClients
  class WaitForAllOfClient extends WaitAll {}

  @Nested
  class Meeting extends Meetings {}

  @Nested
  class AsyncFunction extends AsyncFunctions {}

  @Nested
  @OfClients
  class AsyncFunctionOfClient extends AsyncFunctions {}

  @Nested
  class Timeout extends Timeouts {}

  @Nested
  @OfClients
  class TimeoutOfClient extends Timeouts {}

  @Nested
  class Script extends Scripts {}

  @Nested
  @OfClients
  class ScriptOfClient extends Scripts {}

  @Nested
  class Reference extends References {}

  @Nested
  class Optimization extends Optimizers {}

  @Nested
  @OfClients
  class OptimizationOfClient extends Optimizers {}

  @Nested
  class OfModule extends Modules {}

  @Nested
  @OfClients
  class OfModuleOfClient extends Modules {}

  @Nested
  class Example extends Examples {}

  @Nested
  @OfClients
  class ExampleOfClient extends Examples {}

  @Nested
  class Gradient extends Gradients {}

  @Nested
  @OfClients
  class GradientOfClient extends Gradients {}

  @Nested
  class Recording extends Recordings {}

  @Nested
  @OfClients
  class RecordingOfClient extends Recordings {}

  @Nested
  class BackwardValue extends BackwardValues {}

  @Nested
  @OfClients
  class BackwardValueOfClient extends BackwardValues {}

  @Nested
  class BackwardError extends BackwardErrors {}

  @Nested
  @OfClients
  class BackwardErrorOfClient extends BackwardErrors {}

  @Nested
  @OfClients
  class ReferenceOfClient extends References {}

  @Nested
  class ReferenceType extends ReferenceTypes {}

  @Nested
  @OfClients
  class ReferenceTypeOfClient extends ReferenceTypes {}

  @Nested
  class OwnCodec extends OwnCodecs {}

  @Nested
  @OfClients
  class OwnCodecOfClient extends OwnCodecs {}

  @Nested
  class Outcome extends Outcomes {}

  @Nested
  @OfClients
  class OutcomeOfClient extends Outcomes {}

  @Nested
  class GraphScript extends GraphScripts {}

  @Nested
  @OfClients
  class GraphScriptOfClient extends GraphScripts {}

  @Nested
  class Leave extends Leaving {}

  @Nested
  class Figure extends Figures {}

  @Nested
  @OfClients
  class FigureOfClient extends Figures {}

  @Nested
  class Profiler extends Profiling {}

  @Nested
  @OfClients
  class ProfilerOfClient extends Profiling {}

  @Nested
  class Fault extends Faulting {}

  @Nested
  @OfClients
  class FaultOfClient extends Faulting {}
}
