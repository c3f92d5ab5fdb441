package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.elsewhere.Base;
import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import io.hazelgrad.grid.internal.function.MethodFunction;
import io.hazelgrad.grid.internal.function.MethodReferenceResolver;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every kind of method reference: it names the method that Java would call, or is refused with the
 * remedy.
 */
public class MethodReferenceResolverTest {
  private static final String HERE = MethodReferenceResolverTest.class.getName() + "$";

  private final FunctionRegistry callables =
      new FunctionRegistry(
          new AllowList(
              Set.of(ArrayList.class.getName(), Math.class.getName(), Greeting.class.getName()),
              Set.of(),
              MethodReferenceResolverTest.class.getClassLoader()),
          Map.of());

  interface Greeting {
    default String greet(String name) {
      return "hello " + name;
    }

    static String shout(String name) {
      return name.toUpperCase(java.util.Locale.ROOT);
    }
  }

  static class Animal<S> {
    S same(S sound) {
      return sound;
    }

    static String kingdom() {
      return "animalia";
    }
  }

  @RemoteFunctions
  static class Dog extends Animal<String> implements Greeting, Serializable {
    private static final long serialVersionUID = 1L;

    /** Overrides the generic method, so the compiler adds a bridge. */
    @Override
    String same(String sound) {
      return "dog says " + sound;
    }

    static String all(String... words) {
      return String.join("+", words);
    }

    static <T extends Comparable<T>> T larger(T a, T b) {
      return a.compareTo(b) > 0 ? a : b;
    }

    static int six(int a, int b, int c, int d, int e, int f) {
      return a + b + c + d + e + f;
    }

    static void nothing() {}

    static void nothingOf(int a, int b, int c, int d, int e, int f) {}

    static CompletableFuture<String> later(String a, String b, String c, String d, String e) {
      return CompletableFuture.completedFuture(a + b + c + d + e);
    }

    static long widening(long number) {
      return number + 1;
    }

    private String secret() {
      return "secret";
    }

    static final class Puppy extends Dog {
      private static final long serialVersionUID = 1L;
    }

    /** Needs a dog around it. */
    final class Tail {
      final int length;

      Tail(int length) {
        this.length = length;
      }

      String wag() {
        return same("wag");
      }
    }
  }

  abstract static class Abstract {
    Abstract() {}
  }

  private Object run(Function<?> function, Object... arguments) throws Throwable {
    FunctionRegistry.Target target = callables.method((MethodFunction<?>) function);
    assertThat(target.takes(Arrays.asList(arguments))).isTrue();
    return target.handle().invoke(arguments);
  }

  private static GridException refusal(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable attempt) {
    GridException refused = catchThrowableOfType(GridException.class, attempt);
    assertThat(refused).as("refused").isNotNull();
    return refused;
  }

  @Test
  void genericMethodsAreResolvedDespiteBridges() throws Throwable {
    Function.F2<Dog, String, String> same = Dog::same;
    assertThat(run(Function.of(same), new Dog(), "woof")).isEqualTo("dog says woof");
    Function.F2<Animal<String>, String, String> declared = Animal::same;
    assertThat(Function.of(declared)).hasToString(HERE + "Animal::same(java.lang.Object)");
    Function.F2<Integer, Integer, Integer> larger = Dog::larger;
    assertThat(run(Function.of(larger), 3, 5)).isEqualTo(5);
    assertThat(run(Function.named(Dog.class, "same", Object.class), new Dog(), "a"))
        .as("the bridge by name")
        .isEqualTo("dog says a");
  }

  @Test
  void inheritedMethodBelongsToAnnotatedSubclass() throws Throwable {
    Function.F2<Dog, String, String> greet = Dog::greet;
    assertThat(Function.of(greet)).hasToString(HERE + "Dog::greet(java.lang.String)");
    assertThat(run(Function.of(greet), new Dog(), "you")).isEqualTo("hello you");
    Function.F2<Dog.Puppy, String, String> ofPuppy = Dog::same;
    assertThat(Function.of(ofPuppy)).as("Dog itself is annotated").asString().contains("Dog::same");
    assertThat(run(Function.of(ofPuppy), new Dog.Puppy(), "yip")).isEqualTo("dog says yip");
  }

  @Test
  void methodsOfInterfacesAreResolved() throws Throwable {
    Function.F2<Greeting, String, String> greet = Greeting::greet;
    assertThat(run(Function.of(greet), new Dog(), "interface")).isEqualTo("hello interface");
    Function<String> shout = Function.of(Greeting::shout);
    assertThat(run(shout, "a")).isEqualTo("A");
  }

  @Test
  void inheritedStaticMethodIsResolved() throws Throwable {
    assertThat(run(Function.named(Dog.class, "kingdom"))).isEqualTo("animalia");
  }

  @Test
  void boxingAndWideningFollowJava() throws Throwable {
    Function.F1<Integer, Long> widening = Dog::widening;
    assertThat(run(Function.of(widening), 1)).isEqualTo(2L);
    Function.F2<Double, Double, Double> max = Math::max;
    assertThat(run(Function.of(max), 1.0, 2.0)).isEqualTo(2.0);
  }

  @Test
  void methodsWithUpToSixArgumentsAreResolved() throws Throwable {
    assertThat(run(Function.of(Dog::six), 1, 2, 3, 4, 5, 6)).isEqualTo(21);
    assertThat(run(Function.action(Dog::nothing))).isNull();
    assertThat(run(Function.action(Dog::nothingOf), 1, 2, 3, 4, 5, 6)).isNull();
    Function<String> later = Function.async(Dog::later);
    assertThat(((CompletableFuture<?>) run(later, "a", "b", "c", "d", "e")).join())
        .isEqualTo("abcde");
  }

  @Test
  void constructorsOfGenericAndInnerClassesAreResolved() throws Throwable {
    Function.F0<ArrayList<String>> list = ArrayList::new;
    assertThat(run(Function.of(list))).isEqualTo(List.of());
    Function<Dog.Tail> tail = Function.named(Dog.Tail.class, "new", Dog.class, int.class);
    assertThat(refusal(() -> callables.method((MethodFunction<?>) tail)).status())
        .as("the inner class is not annotated")
        .isEqualTo(Status.NOT_ALLOWED);
  }

  @Test
  void referenceWithIntersectionCastIsResolved() throws Throwable {
    var marked = (Function.F1<String, String> & Cloneable) Greeting::shout;
    assertThat(run(Function.of(marked), "b")).isEqualTo("B");
  }

  static Stream<Arguments> references() {
    Function.F2<String, String, String> variable = Dog::all;
    Function.F0<String> noneOfVariable = Dog::all;
    Function.F1<Integer, int[]> array = int[]::new;
    Function.F1<String[], String[]> copy = String[]::clone;
    Function.F1<String, Integer> lambda = text -> text.length();
    String captured = "captured";
    Function.F0<Integer> capturing = () -> captured.length();
    class Local {}
    Function.F0<Local> local = Local::new;
    return Stream.of(
        Arguments.of("variable arguments", variable),
        Arguments.of("no variable arguments", noneOfVariable),
        Arguments.of("an array's constructor", array),
        Arguments.of("an array's clone", copy),
        Arguments.of("a lambda", lambda),
        Arguments.of("a lambda that captures", capturing),
        Arguments.of("a constructor of a local class", local),
        Arguments.of("super::", new Sub().viaSuper()),
        Arguments.of("a protected method of another package", new Sub().viaThis()));
  }

  /** Makes references to what it inherits. */
  static final class Sub extends Base {
    Function.F1<String, String> viaSuper() {
      return super::inherited;
    }

    Function.F2<Sub, String, String> viaThis() {
      return Sub::inherited;
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("references")
  void referenceIsRefusedWithRemedyWhenCompiledToLambda(String kind, Serializable reference) {
    GridException refused = refusal(() -> MethodReferenceResolver.resolve(reference));
    assertThat(refused.status()).isEqualTo(Status.NOT_ALLOWED);
    assertThat(refused).hasMessageContainingAll("code does not travel", "Function.named(");
  }

  @Test
  void referenceIsRefusedWhenReceiverIsBound() {
    Dog dog = new Dog();
    Function.F1<String, String> bound = dog::same;
    GridException refused = refusal(() -> Function.of(bound));
    assertThat(refused.status()).isEqualTo(Status.NOT_ALLOWED);
    assertThat(refused)
        .hasMessageContainingAll("Dog::same", "captures its object", "as the first argument");
  }

  @Test
  void privateMethodsAreRefusedByCallee() {
    Function.F1<Dog, String> secret = Dog::secret;
    GridException refused =
        refusal(() -> callables.method((MethodFunction<?>) Function.of(secret)));
    assertThat(refused.status()).isEqualTo(Status.NOT_ALLOWED);
  }

  @Test
  void constructorIsRefusedWhenClassIsAbstract() {
    FunctionRegistry lax =
        new FunctionRegistry(
            new AllowList(
                Set.of(Abstract.class.getName()), Set.of(), Abstract.class.getClassLoader()),
            Map.of());
    GridException refused =
        refusal(() -> lax.method((MethodFunction<?>) Function.named(Abstract.class, "new")));
    assertThat(refused.status()).isEqualTo(Status.NOT_ALLOWED);
    assertThat(refused).hasMessageContaining("is abstract");
  }

  @Test
  void classesInDescriptorAreNeverLoaded() {
    for (String type :
        List.of("no/such/Type", Bomb.class.getName().replace('.', '/'), "[[[[[[[[[[[[Z")) {
      MethodFunction<?> hostile =
          new MethodFunction<>(Dog.class.getName(), "same", "(L" + type + ";)V");
      assertThat(refusal(() -> callables.method(hostile)).status())
          .isEqualTo(Status.UNKNOWN_FUNCTION);
    }
    assertThat(System.getProperty(Bomb.PROPERTY)).isNull();
  }

  @Test
  void classIsNotInitialisedWhenNotAllowed() {
    for (MethodFunction<?> hostile :
        List.of(
            new MethodFunction<>(Bomb.class.getName(), "new", "()V"),
            new MethodFunction<>(Bomb.class.getName(), "explode", "()V"))) {
      assertThat(refusal(() -> callables.method(hostile)).status()).isEqualTo(Status.NOT_ALLOWED);
    }
    assertThat(System.getProperty(Bomb.PROPERTY)).isNull();
  }

  /** Tells when it is initialised. */
  public static final class Bomb {
    public static final String PROPERTY = "io.hazelgrad.grid.bomb";

    static {
      System.setProperty(PROPERTY, "exploded");
    }

    private Bomb() {}

    static void explode() {}
  }

  @Test
  void functionIsUnknownWhenNameIsNoClass() {
    for (String name :
        List.of("", "[Ljava.lang.String;", "java/lang/Math", "x".repeat(100_000), "int", "a b\n")) {
      GridException refused =
          refusal(() -> callables.method(new MethodFunction<>(name, "max", "(II)I")));
      assertThat(refused.status()).as(name).isEqualTo(Status.UNKNOWN_FUNCTION);
      assertThat(refused.getMessage()).hasSizeLessThan(1200);
    }
  }

  @Test
  void functionIsUnknownWhenMethodIsOfAnotherVersion() {
    MethodFunction<?> older = new MethodFunction<>(Dog.class.getName(), "six", "(IIIII)I");
    GridException refused = refusal(() -> callables.method(older));
    assertThat(refused.status()).isEqualTo(Status.UNKNOWN_FUNCTION);
    assertThat(refused)
        .hasMessageContainingAll("Dog::six(int, int, int, int, int)", "of the same version");
  }

  @Test
  void referenceIsReadOnceByManyThreads() {
    List<Function<?>> read =
        Stream.generate(() -> 1).limit(200).parallel().<Function<?>>map(i -> one()).toList();
    assertThat(read).allSatisfy(each -> assertThat(each).hasToString(read.get(0).toString()));
    assertThat(one()).isSameAs(one());
  }

  private static Function<?> one() {
    return Function.action(Dog::nothing);
  }
}
