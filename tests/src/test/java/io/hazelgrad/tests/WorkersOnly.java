package io.hazelgrad.tests;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Marks a test that a thin client cannot run, because the test's own process owns objects, is
 * called, or does something else that only workers do.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ExtendWith(WorkersOnly.Condition.class)
public @interface WorkersOnly {

  /** Disables the test in a {@link ClientSuite}. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return isClientSuite(context.getRequiredTestClass())
          ? ConditionEvaluationResult.disabled("only workers run this test")
          : ConditionEvaluationResult.enabled("workers run this test");
    }

    /** Returns whether a client runs the tests of a class, by its own mark or its outer class's. */
    public static boolean isClientSuite(Class<?> test) {
      Class<?> outer = test.getEnclosingClass();
      return test.isAnnotationPresent(ClientSuite.class)
          || (outer != null && outer.isAnnotationPresent(ClientSuite.class));
    }
  }
}
