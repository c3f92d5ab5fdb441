package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What carries the gradients in the tests of a class; without it the default does. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface PassesBy {
  Scheduler value();
}
