package io.hazelgrad.grid;

import io.hazelgrad.grid.internal.serve.FunctionRegistry;
import io.hazelgrad.grid.spi.MessageKind;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What can be called on another worker: an operator of the catalogue, or a static method, instance
 * method or constructor of a class that the callee allows. Only names travel, no code.
 *
 * <p>The usual way is a method reference: {@code rpc.sync("w1", Ranker::score, x)}. A method
 * without a result is wrapped: {@code rpc.sync("w1", Function.action(Counter::reset), counter)}; so
 * is one that returns a {@link CompletionStage}, as the caller gets what the stage completes with:
 * {@code rpc.sync("w1", Function.async(Ranker::later), x)}. Where the compiler cannot choose among
 * overloads, or turns the reference into a lambda, or a method has more than six arguments, {@link
 * #named} says exactly what is meant.
 *
 * @param <R> the type of the result
 */
public abstract sealed class Function<R>
    permits OperatorFunction, MethodFunction, GraphFunction, ServiceFunction {
  Function() {}

  /** Returns what kind its calls are of. */
  public abstract MessageKind kind();

  /** Checks what can be known on the caller. */
  void check(List<@Nullable Object> arguments, @Nullable FunctionRegistry callables) {}

  /** Checks what can be known on the caller, and returns what is sent. */
  public Function<R> checked(
      List<@Nullable Object> arguments, @Nullable FunctionRegistry callables) {
    check(arguments, callables);
    return this;
  }

  /** Returns an operator of the catalogue, such as {@code "matmul"}. */
  public static <R> Function<R> operator(String name) {
    return new OperatorFunction<>(name);
  }

  /**
   * Returns a graph that was deployed under this name, see {@link io.hazelgrad.grid.graph.Graphs}.
   * Its arguments are tensors in the order of its inputs, or one map from their names to tensors.
   */
  public static <R> Function<R> graph(String name) {
    return new GraphFunction<>(name, 0);
  }

  /**
   * Returns a method, by class, name and parameter types. For a constructor the name is {@code
   * "new"}; an instance method takes its object as the first argument, before those named here.
   *
   * @throws GridException UNKNOWN_FUNCTION if there is no such method
   */
  public static <R> Function<R> named(Class<?> type, String method, Class<?>... parameterTypes) {
    return MethodFunction.find(type, method, parameterTypes);
  }

  /** Returns the function that a method reference without arguments names. */
  public static <R> Function<R> of(F0<R> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a method reference with one argument names. */
  public static <A, R> Function<R> of(F1<A, R> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a method reference with two arguments names. */
  public static <A, B, R> Function<R> of(F2<A, B, R> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a method reference with three arguments names. */
  public static <A, B, C, R> Function<R> of(F3<A, B, C, R> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a method reference with four arguments names. */
  public static <A, B, C, D, R> Function<R> of(F4<A, B, C, D, R> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a method reference with five arguments names. */
  public static <A, B, C, D, E, R> Function<R> of(F5<A, B, C, D, E, R> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a method reference with six arguments names. */
  public static <A, B, C, D, E, F, R> Function<R> of(F6<A, B, C, D, E, F, R> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; it gives null. */
  public static Function<@Nullable Void> action(V0 reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; it gives null. */
  public static <A> Function<@Nullable Void> action(V1<A> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; it gives null. */
  public static <A, B> Function<@Nullable Void> action(V2<A, B> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; it gives null. */
  public static <A, B, C> Function<@Nullable Void> action(V3<A, B, C> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; it gives null. */
  public static <A, B, C, D> Function<@Nullable Void> action(V4<A, B, C, D> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; it gives null. */
  public static <A, B, C, D, E> Function<@Nullable Void> action(V5<A, B, C, D, E> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; it gives null. */
  public static <A, B, C, D, E, F> Function<@Nullable Void> action(V6<A, B, C, D, E, F> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method names whose answer is its stage's result. */
  public static <R> Function<R> async(F0<? extends CompletionStage<R>> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method names whose answer is its stage's result. */
  public static <A, R> Function<R> async(F1<A, ? extends CompletionStage<R>> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method names whose answer is its stage's result. */
  public static <A, B, R> Function<R> async(F2<A, B, ? extends CompletionStage<R>> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method names whose answer is its stage's result. */
  public static <A, B, C, R> Function<R> async(
      F3<A, B, C, ? extends CompletionStage<R>> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method names whose answer is its stage's result. */
  public static <A, B, C, D, R> Function<R> async(
      F4<A, B, C, D, ? extends CompletionStage<R>> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method names whose answer is its stage's result. */
  public static <A, B, C, D, E, R> Function<R> async(
      F5<A, B, C, D, E, ? extends CompletionStage<R>> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  /** Returns the function that a reference to a method names whose answer is its stage's result. */
  public static <A, B, C, D, E, F, R> Function<R> async(
      F6<A, B, C, D, E, F, ? extends CompletionStage<R>> reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  static String describe(String type, String method, List<String> parameters) {
    return type + "::" + method + parameters.stream().collect(Collectors.joining(", ", "(", ")"));
  }

  /** Returns the names of types as Java writes them. */
  static List<String> names(Class<?>... types) {
    return Arrays.stream(types).map(Class::getTypeName).toList();
  }

  /** A method reference without arguments. */
  public interface F0<R> extends Serializable {
    /** Never called; only the reference's name is read. */
    R apply() throws Exception;
  }

  /** A method reference with one argument. */
  public interface F1<A, R> extends Serializable {
    /** Never called; only the reference's name is read. */
    R apply(A a) throws Exception;
  }

  /** A method reference with two arguments. */
  public interface F2<A, B, R> extends Serializable {
    /** Never called; only the reference's name is read. */
    R apply(A a, B b) throws Exception;
  }

  /** A method reference with three arguments. */
  public interface F3<A, B, C, R> extends Serializable {
    /** Never called; only the reference's name is read. */
    R apply(A a, B b, C c) throws Exception;
  }

  /** A method reference with four arguments. */
  public interface F4<A, B, C, D, R> extends Serializable {
    /** Never called; only the reference's name is read. */
    R apply(A a, B b, C c, D d) throws Exception;
  }

  /** A method reference with five arguments. */
  public interface F5<A, B, C, D, E, R> extends Serializable {
    /** Never called; only the reference's name is read. */
    R apply(A a, B b, C c, D d, E e) throws Exception;
  }

  /** A method reference with six arguments. */
  public interface F6<A, B, C, D, E, F, R> extends Serializable {
    /** Never called; only the reference's name is read. */
    R apply(A a, B b, C c, D d, E e, F f) throws Exception;
  }

  /** A reference to a method without arguments, without result. */
  public interface V0 extends Serializable {
    /** Never called; only the reference's name is read. */
    void apply() throws Exception;
  }

  /** A reference to a method with one argument, without result. */
  public interface V1<A> extends Serializable {
    /** Never called; only the reference's name is read. */
    void apply(A a) throws Exception;
  }

  /** A reference to a method with two arguments, without result. */
  public interface V2<A, B> extends Serializable {
    /** Never called; only the reference's name is read. */
    void apply(A a, B b) throws Exception;
  }

  /** A reference to a method with three arguments, without result. */
  public interface V3<A, B, C> extends Serializable {
    /** Never called; only the reference's name is read. */
    void apply(A a, B b, C c) throws Exception;
  }

  /** A reference to a method with four arguments, without result. */
  public interface V4<A, B, C, D> extends Serializable {
    /** Never called; only the reference's name is read. */
    void apply(A a, B b, C c, D d) throws Exception;
  }

  /** A reference to a method with five arguments, without result. */
  public interface V5<A, B, C, D, E> extends Serializable {
    /** Never called; only the reference's name is read. */
    void apply(A a, B b, C c, D d, E e) throws Exception;
  }

  /** A reference to a method with six arguments, without result. */
  public interface V6<A, B, C, D, E, F> extends Serializable {
    /** Never called; only the reference's name is read. */
    void apply(A a, B b, C c, D d, E e, F f) throws Exception;
  }
}
