package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Sets the scheduler of the passes in a test class. Without it the default scheduler runs. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface SchedulerUnderTest {
  Scheduler value();
}
