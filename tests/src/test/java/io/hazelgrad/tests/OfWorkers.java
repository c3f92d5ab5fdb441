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
 * Marks a test that only a worker can drive: in it the driver owns something, is called, or has
 * what clients have not.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ExtendWith(OfWorkers.NotOfClients.class)
public @interface OfWorkers {

  /** Leaves the test out where a client drives. */
  final class NotOfClients implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Class<?> test = context.getRequiredTestClass();
      Class<?> outer = test.getEnclosingClass();
      return isOfClients(test) || (outer != null && isOfClients(outer))
          ? ConditionEvaluationResult.disabled("not for clients")
          : ConditionEvaluationResult.enabled("for any driver");
    }

    private static boolean isOfClients(Class<?> test) {
      return test.isAnnotationPresent(OfClients.class);
    }
  }
}
