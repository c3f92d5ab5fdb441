package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import io.hazelgrad.grid.internal.function.MethodFunction;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FunctionTest {
  private static final String CALLS = "io.hazelgrad.grid.Calls";

  private final FunctionRegistry callables =
      new FunctionRegistry(
          new AllowList(
              Set.of(Math.class.getName(), String.class.getName()),
              Set.of(),
              FunctionTest.class.getClassLoader()),
          Map.of());

  /** What an allowed class inherits can be called, too. */
  interface Named {
    default String name() {
      return getClass().getSimpleName();
    }
  }

  static class Animal {
    String sound(int times) {
      return "grr".repeat(times);
    }
  }

  @RemoteFunctions
  static class Dog extends Animal implements Named {
    static String varied(String... words) {
      return String.join("+", words);
    }
  }

  private Object run(Function<?> function, Object... arguments) throws Throwable {
    FunctionRegistry.Target target = callables.method((MethodFunction<?>) function);
    assertThat(target.takes(List.of(arguments))).isTrue();
    return target.handle().invoke(arguments);
  }

  private static GridException refusal(Runnable attempt) {
    try {
      attempt.run();
    } catch (GridException e) {
      return e;
    }
    throw new AssertionError("not refused");
  }

  @Test
  void referenceNamesStaticMethod() throws Throwable {
    Function<Double> add = Function.of(Calls::add);
    assertThat(add).hasToString(CALLS + "::add(double, double)");
    assertThat(run(add, 1.0, 2)).isEqualTo(3.0);
  }

  @Test
  void instanceMethodTakesItsObjectFirst() throws Throwable {
    Function<Integer> plus = Function.of(Calls::plus);
    assertThat(plus).hasToString(CALLS + "::plus(int)");
    assertThat(run(plus, new Calls(3), 4)).isEqualTo(7);
    Function<Integer> length = Function.of(String::length);
    assertThat(run(length, "four")).isEqualTo(4);
  }

  @Test
  void constructorIsNamedNew() throws Throwable {
    Function.F1<Integer, Calls> reference = Calls::new;
    Function<Calls> made = Function.of(reference);
    assertThat(made).hasToString(CALLS + "::new(int)");
    assertThat(run(made, 5)).isInstanceOf(Calls.class);
    assertThat(Function.named(Calls.class, "new", int.class)).hasToString(made.toString());
  }

  @Test
  void overloadsAreDistinguishedByTypeOrName() throws Throwable {
    Function.F1<String, String> text = Calls::overloaded;
    Function.F1<Integer, String> number = Calls::overloaded;
    assertThat(run(Function.of(text), "a")).isEqualTo("text a");
    assertThat(run(Function.of(number), 1)).isEqualTo("int 1");
    assertThat(run(Function.named(Calls.class, "overloaded", String.class), "b"))
        .isEqualTo("text b");
    assertThat(run(Function.named(Math.class, "max", int.class, int.class), 3, 4)).isEqualTo(4);
  }

  @Test
  void inheritedMethodsBelongToClass() throws Throwable {
    assertThat(run(Function.named(Dog.class, "sound", int.class), new Dog(), 2))
        .isEqualTo("grrgrr");
    assertThat(run(Function.named(Dog.class, "name"), new Dog())).isEqualTo("Dog");
    assertThat(
            run(
                Function.named(Dog.class, "varied", String[].class),
                (Object) new String[] {"a", "b"}))
        .isEqualTo("a+b");
    assertThat(refusal(() -> Function.named(Dog.class, "hashCode")))
        .hasMessageContaining("hashCode");
  }

  @Test
  void referenceIsReadOnce() {
    assertThat(reference()).isSameAs(reference());
  }

  private static Function<String> reference() {
    return Function.of(Calls::worker);
  }

  @Test
  void methodWithoutResultIsAction() {
    assertThat(Function.action(Calls::mark)).hasToString(CALLS + "::mark(java.lang.String)");
  }

  @Test
  void methodWithStageIsAsyncAndTypedByItsResult() {
    Function<String> later = Function.async(Calls::later);
    Function<Double> elsewhere = Function.async(Calls::addElsewhere);
    assertThat(later).hasToString(CALLS + "::later(java.lang.String)");
    assertThat(elsewhere).asString().startsWith(CALLS + "::addElsewhere");
  }

  @Test
  void codeDoesNotTravel() {
    Function.F1<String, Integer> lambda = text -> text.length();
    GridException refused = refusal(() -> Function.of(lambda));
    assertThat(refused.status()).isEqualTo(Status.NOT_ALLOWED);
    assertThat(refused).hasMessageContainingAll("code does not travel", "Function.named(");
    Function.F0<String> anonymous =
        new Function.F0<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public String apply() {
            return "";
          }
        };
    assertThat(refusal(() -> Function.of(anonymous))).hasMessageContaining("Function.named(");
  }

  @Test
  void referenceIsRefusedWhenItCapturesObject() {
    Calls object = new Calls(1);
    GridException refused = refusal(() -> Function.of(object::plus));
    assertThat(refused.status()).isEqualTo(Status.NOT_ALLOWED);
    assertThat(refused)
        .hasMessageContainingAll("must not capture", "pass the object as the first argument");
  }

  @Test
  void privateMethodsStayPrivate() {
    Function<Integer> secret = Function.named(Calls.class, "secret");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> run(secret))
        .withMessageContaining("is private")
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.NOT_ALLOWED));
  }

  @Test
  void unknownMethodIsRefusedWithCandidates() {
    GridException unknown = refusal(() -> Function.named(Calls.class, "overloaded", double.class));
    assertThat(unknown.status()).isEqualTo(Status.UNKNOWN_FUNCTION);
    assertThat(unknown)
        .hasMessage(
            CALLS
                + "::overloaded(double) does not exist; the class has ::overloaded(int) and"
                + " ::overloaded(java.lang.String)");
    assertThat(refusal(() -> Function.named(Calls.class, "nothing")))
        .hasMessageContaining("no method of that name");
    assertThat(refusal(() -> Function.named(Calls.class, "new", String.class)))
        .hasMessageContaining("::new(int)");
  }

  @Test
  void classIsRefusedWithRemedyWhenNotAllowed() {
    GridException refused =
        refusal(() -> callables.method((MethodFunction<?>) Function.named(Runtime.class, "gc")));
    assertThat(refused.status()).isEqualTo(Status.NOT_ALLOWED);
    assertThat(refused).hasMessageContainingAll("java.lang.Runtime", "@RemoteFunctions");
  }

  @Test
  void damagedNamesAreUnknownFunctions() {
    for (String descriptor : new String[] {"", "(", "(L", "([", "(Lno.Such;)V", "()", "(Q)V"}) {
      MethodFunction<?> damaged = new MethodFunction<>(Calls.class.getName(), "add", descriptor);
      assertThat(damaged.toString()).startsWith(CALLS + "::add(");
      assertThat(refusal(() -> callables.method(damaged)).status())
          .isIn(Status.UNKNOWN_FUNCTION, Status.NOT_ALLOWED);
    }
  }

  @Test
  void argumentsFitByRulesOfJava() {
    FunctionRegistry.Target add = callables.method((MethodFunction<?>) Function.of(Calls::add));
    assertThat(add.takes(List.of(1, 2f))).isTrue();
    assertThat(add.takes(List.of("1", 2.0))).isFalse();
    assertThat(add.takes(List.of(1.0))).isFalse();
    assertThat(add.takes(java.util.Arrays.asList(1.0, null))).isFalse();
    FunctionRegistry.Target plus = callables.method((MethodFunction<?>) Function.of(Calls::plus));
    assertThat(plus.takes(java.util.Arrays.asList(null, 1))).isFalse();
    assertThat(plus.takes(List.of(new Calls(1), 1L))).isFalse();
  }
}
