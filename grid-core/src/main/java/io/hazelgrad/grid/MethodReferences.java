package io.hazelgrad.grid;

import java.io.Serializable;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Reads class, method and descriptor out of a method reference. The compiler gives the class behind
 * a serializable reference a private method {@code writeReplace}, whose {@link SerializedLambda}
 * names them; nothing is serialized.
 */
final class MethodReferences {
  private static final String REMEDY =
      "; use a plain method reference, or Function.named(Type.class, \"method\","
          + " ParameterType.class)";

  /**
   * Each method reference in the source has one class of its own, as long as it captures nothing.
   */
  private static final Map<Class<?>, MethodFunction<?>> RESOLVED =
      Collections.synchronizedMap(new WeakHashMap<>());

  private MethodReferences() {}

  static <R> MethodFunction<R> resolve(Serializable reference) {
    MethodFunction<?> function = RESOLVED.get(reference.getClass());
    if (function == null) {
      function = read(reference);
      RESOLVED.put(reference.getClass(), function);
    }
    // The result type is the reference's own: the overloads of Function.of tie the two together.
    @SuppressWarnings("unchecked")
    MethodFunction<R> typed = (MethodFunction<R>) function;
    return typed;
  }

  private static MethodFunction<?> read(Serializable reference) {
    SerializedLambda lambda = lambda(reference);
    if (lambda.getCapturedArgCount() > 0) {
      throw new GridException(
          Status.NOT_ALLOWED,
          "a function must not capture values, this one captures "
              + lambda.getCapturedArgCount()
              + ": a reference object::method carries its object. Name Type::method and pass the"
              + " object as the first argument, or call through an RRef");
    }
    String type = lambda.getImplClass().replace('/', '.');
    String method = lambda.getImplMethodName();
    if (method.startsWith("lambda$")) {
      throw new GridException(
          Status.NOT_ALLOWED,
          "code does not travel: "
              + type
              + " has a lambda here, or a reference that the compiler turns into one"
              + REMEDY);
    }
    boolean constructor = lambda.getImplMethodKind() == MethodHandleInfo.REF_newInvokeSpecial;
    return new MethodFunction<>(
        type, constructor ? MethodFunction.CONSTRUCTOR : method, lambda.getImplMethodSignature());
  }

  private static SerializedLambda lambda(Serializable reference) {
    try {
      Method replace = reference.getClass().getDeclaredMethod("writeReplace");
      replace.setAccessible(true);
      if (replace.invoke(reference) instanceof SerializedLambda lambda) {
        return lambda;
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new GridException(
          Status.NOT_ALLOWED,
          "cannot read the name of a method reference of "
              + reference.getClass().getName()
              + REMEDY,
          e);
    }
    throw new GridException(
        Status.NOT_ALLOWED, reference.getClass().getName() + " is no method reference" + REMEDY);
  }
}
