package io.hazelgrad.grid;

import java.io.Serializable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The name of something that can be called on another worker: an operator of the catalogue, a
 * deployed graph, or a static method, instance method or constructor of a class that the callee
 * allows. Only names travel, no code. Applications use it and do not implement it.
 *
 * <p>The usual way is a method reference: {@code rpc.sync("w1", Ranker::score, x)}. A method
 * without a result is wrapped: {@code rpc.sync("w1", Function.action(Counter::reset), counter)}. A
 * method that returns a {@link CompletionStage} is wrapped by {@code
 * Function.async(Ranker::later)}; the caller gets the value with which the stage completes. Use
 * {@link #named} if the compiler cannot choose among overloads or turns the reference into a
 * lambda, or if a method has more than six arguments.
 *
 * <p>The interfaces F0 to V6 are the types of method references. Only the name of a reference is
 * read; it is never called.
 *
 * @param <R> the type of the result
 */
public interface Function<R> {
  /** Returns an operator of the catalogue, such as {@code "matmul"}. */
  static <R> Function<R> operator(String name) {
    return GridProvider.INSTANCE.operator(name);
  }

  /**
   * Returns a graph that was deployed under this name with {@code Graphs.deploy}. Its arguments are
   * tensors or variables in the order of its inputs, or one map from their names to these.
   */
  static <R> Function<R> graph(String name) {
    return GridProvider.INSTANCE.graph(name);
  }

  /**
   * Returns a method, by class, name and parameter types. For a constructor the name is {@code
   * "new"}; an instance method takes its object as the first argument, before those named here.
   *
   * @throws GridException UNKNOWN_FUNCTION if there is no such method
   */
  static <R> Function<R> named(Class<?> type, String method, Class<?>... parameterTypes) {
    return GridProvider.INSTANCE.named(type, method, parameterTypes);
  }

  /** Returns the function that a method reference without arguments names. */
  static <R> Function<R> of(F0<R> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a method reference with one argument names. */
  static <A, R> Function<R> of(F1<A, R> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a method reference with two arguments names. */
  static <A, B, R> Function<R> of(F2<A, B, R> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a method reference with three arguments names. */
  static <A, B, C, R> Function<R> of(F3<A, B, C, R> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a method reference with four arguments names. */
  static <A, B, C, D, R> Function<R> of(F4<A, B, C, D, R> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a method reference with five arguments names. */
  static <A, B, C, D, E, R> Function<R> of(F5<A, B, C, D, E, R> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a method reference with six arguments names. */
  static <A, B, C, D, E, F, R> Function<R> of(F6<A, B, C, D, E, F, R> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; its result is null. */
  static Function<@Nullable Void> action(V0 reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; its result is null. */
  static <A> Function<@Nullable Void> action(V1<A> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; its result is null. */
  static <A, B> Function<@Nullable Void> action(V2<A, B> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; its result is null. */
  static <A, B, C> Function<@Nullable Void> action(V3<A, B, C> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; its result is null. */
  static <A, B, C, D> Function<@Nullable Void> action(V4<A, B, C, D> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; its result is null. */
  static <A, B, C, D, E> Function<@Nullable Void> action(V5<A, B, C, D, E> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** Returns the function that a reference to a method without result names; its result is null. */
  static <A, B, C, D, E, F> Function<@Nullable Void> action(V6<A, B, C, D, E, F> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** As {@link #of}, for a method that returns a stage; the caller gets the result of the stage. */
  static <R> Function<R> async(F0<? extends CompletionStage<R>> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** As {@link #of}, for a method that returns a stage; the caller gets the result of the stage. */
  static <A, R> Function<R> async(F1<A, ? extends CompletionStage<R>> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** As {@link #of}, for a method that returns a stage; the caller gets the result of the stage. */
  static <A, B, R> Function<R> async(F2<A, B, ? extends CompletionStage<R>> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** As {@link #of}, for a method that returns a stage; the caller gets the result of the stage. */
  static <A, B, C, R> Function<R> async(F3<A, B, C, ? extends CompletionStage<R>> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** As {@link #of}, for a method that returns a stage; the caller gets the result of the stage. */
  static <A, B, C, D, R> Function<R> async(F4<A, B, C, D, ? extends CompletionStage<R>> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** As {@link #of}, for a method that returns a stage; the caller gets the result of the stage. */
  static <A, B, C, D, E, R> Function<R> async(
      F5<A, B, C, D, E, ? extends CompletionStage<R>> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** As {@link #of}, for a method that returns a stage; the caller gets the result of the stage. */
  static <A, B, C, D, E, F, R> Function<R> async(
      F6<A, B, C, D, E, F, ? extends CompletionStage<R>> reference) {
    return GridProvider.INSTANCE.resolve(reference);
  }

  /** A method reference without arguments. */
  interface F0<R> extends Serializable {
    R apply() throws Exception;
  }

  /** A method reference with one argument. */
  interface F1<A, R> extends Serializable {
    R apply(A a) throws Exception;
  }

  /** A method reference with two arguments. */
  interface F2<A, B, R> extends Serializable {
    R apply(A a, B b) throws Exception;
  }

  /** A method reference with three arguments. */
  interface F3<A, B, C, R> extends Serializable {
    R apply(A a, B b, C c) throws Exception;
  }

  /** A method reference with four arguments. */
  interface F4<A, B, C, D, R> extends Serializable {
    R apply(A a, B b, C c, D d) throws Exception;
  }

  /** A method reference with five arguments. */
  interface F5<A, B, C, D, E, R> extends Serializable {
    R apply(A a, B b, C c, D d, E e) throws Exception;
  }

  /** A method reference with six arguments. */
  interface F6<A, B, C, D, E, F, R> extends Serializable {
    R apply(A a, B b, C c, D d, E e, F f) throws Exception;
  }

  /** A reference to a method without arguments, without result. */
  interface V0 extends Serializable {
    void apply() throws Exception;
  }

  /** A reference to a method with one argument, without result. */
  interface V1<A> extends Serializable {
    void apply(A a) throws Exception;
  }

  /** A reference to a method with two arguments, without result. */
  interface V2<A, B> extends Serializable {
    void apply(A a, B b) throws Exception;
  }

  /** A reference to a method with three arguments, without result. */
  interface V3<A, B, C> extends Serializable {
    void apply(A a, B b, C c) throws Exception;
  }

  /** A reference to a method with four arguments, without result. */
  interface V4<A, B, C, D> extends Serializable {
    void apply(A a, B b, C c, D d) throws Exception;
  }

  /** A reference to a method with five arguments, without result. */
  interface V5<A, B, C, D, E> extends Serializable {
    void apply(A a, B b, C c, D d, E e) throws Exception;
  }

  /** A reference to a method with six arguments, without result. */
  interface V6<A, B, C, D, E, F> extends Serializable {
    void apply(A a, B b, C c, D d, E e, F f) throws Exception;
  }
}
