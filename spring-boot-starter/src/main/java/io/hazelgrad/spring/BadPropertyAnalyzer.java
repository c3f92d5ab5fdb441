package io.hazelgrad.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a property that the grid refuses. */
final class BadPropertyAnalyzer extends AbstractFailureAnalyzer<BadPropertyException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, BadPropertyException cause) {
    return new FailureAnalysis(
        cause.description(), "Correct the property " + cause.property() + ".", cause);
  }
}
