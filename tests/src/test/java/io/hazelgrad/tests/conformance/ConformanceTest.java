package io.hazelgrad.tests.conformance;

import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.ClientSuite;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * All tests of the peer that need only its four workers, which are started once. A thin client runs
 * them too; its longest suites are slow tests.
 */
@ExtendWith({FourWorkers.class, Leftovers.class})
class ConformanceTest {
  @Nested
  class Identity extends IdentitySuite {}

  @Nested
  @ClientSuite
  class IdentityOfClient extends IdentitySuite {}

  @Nested
  class Join extends JoinSuite {}

  @Nested
  class Call extends CallSuite {}

  @Nested
  @ClientSuite
  class CallOfClient extends CallSuite {}

  @Nested
  class UnderLoad extends StressSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class UnderLoadOfClient extends StressSuite {}

  @Nested
  class Failure extends ErrorSuite {}

  @Nested
  @ClientSuite
  class FailureOfClient extends ErrorSuite {}

  @Nested
  class OfFuture extends FutureSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class OfFutureOfClient extends FutureSuite {}

  @Nested
  class WaitForAll extends WaitAllSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class WaitForAllOfClient extends WaitAllSuite {}

  @Nested
  class Meeting extends GroupSuite {}

  @Nested
  class AsyncFunction extends AsyncFunctionSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class AsyncFunctionOfClient extends AsyncFunctionSuite {}

  @Nested
  class Timeout extends TimeoutSuite {}

  @Nested
  @ClientSuite
  class TimeoutOfClient extends TimeoutSuite {}

  @Nested
  class Script extends ScriptSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class ScriptOfClient extends ScriptSuite {}

  @Nested
  class Reference extends ReferenceSuite {}

  @Nested
  class Optimization extends OptimizerSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class OptimizationOfClient extends OptimizerSuite {}

  @Nested
  class OfModule extends ModuleSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class OfModuleOfClient extends ModuleSuite {}

  @Nested
  class Example extends ExampleSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class ExampleOfClient extends ExampleSuite {}

  @Nested
  class Gradient extends GradientSuite {}

  @Nested
  @ClientSuite
  class GradientOfClient extends GradientSuite {}

  @Nested
  class Recording extends ContextSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class RecordingOfClient extends ContextSuite {}

  @Nested
  class BackwardValue extends BackwardSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class BackwardValueOfClient extends BackwardSuite {}

  @Nested
  class BackwardReference extends ReferenceBackwardSuite {}

  @Nested
  @ClientSuite
  class BackwardReferenceOfClient extends ReferenceBackwardSuite {}

  @Nested
  class BackwardError extends BackwardErrorSuite {}

  @Nested
  @ClientSuite
  class BackwardErrorOfClient extends BackwardErrorSuite {}

  @Nested
  @ClientSuite
  class ReferenceOfClient extends ReferenceSuite {}

  @Nested
  class ReferenceType extends ReferenceTypeSuite {}

  @Nested
  @ClientSuite
  class ReferenceTypeOfClient extends ReferenceTypeSuite {}

  @Nested
  class OwnCodec extends CodecSuite {}

  @Nested
  @ClientSuite
  class OwnCodecOfClient extends CodecSuite {}

  @Nested
  class Outcome extends OutcomeSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class OutcomeOfClient extends OutcomeSuite {}

  @Nested
  class GraphScript extends GraphSuite {}

  @Nested
  @ClientSuite
  class GraphScriptOfClient extends GraphSuite {}

  @Nested
  class GraphBackward extends GraphBackwardSuite {}

  @Nested
  @ClientSuite
  class GraphBackwardOfClient extends GraphBackwardSuite {}

  @Nested
  class Leave extends LeaveSuite {}

  @Nested
  class Figure extends MetricsSuite {}

  @Nested
  @ClientSuite
  class FigureOfClient extends MetricsSuite {}

  @Nested
  class Profiler extends ProfilerSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class ProfilerOfClient extends ProfilerSuite {}

  @Nested
  class Fault extends FaultSuite {}

  @Nested
  @ClientSuite
  @Tag("slow")
  class FaultOfClient extends FaultSuite {}
}
