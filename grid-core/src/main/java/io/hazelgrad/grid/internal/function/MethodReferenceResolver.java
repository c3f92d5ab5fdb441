package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import java.io.Serializable;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads class, method and descriptor out of a method reference. The compiler gives the class behind
 * a serializable reference a private method {@code writeReplace}, whose {@link SerializedLambda}
 * names them; nothing is serialized.
 */
public final class MethodReferenceResolver {
  private static final String REMEDY =
      "; use a plain method reference, or Function.named(Type.class, \"method\","
          + " ParameterType.class)";

  /**
   * Each method reference in the source has a class of its own, as long as it captures nothing; so
   * it is read once. Holds names only, no class.
   */
  private static final ClassValue<AtomicReference<@Nullable MethodFunction<?>>> RESOLVED =
      new ClassValue<>() {
        @Override
        protected AtomicReference<@Nullable MethodFunction<?>> computeValue(Class<?> type) {
          return new AtomicReference<>();
        }
      };

  private MethodReferenceResolver() {}

  public static <R> MethodFunction<R> resolve(Serializable reference) {
    AtomicReference<@Nullable MethodFunction<?>> resolved = RESOLVED.get(reference.getClass());
    MethodFunction<?> function = resolved.get();
    if (function == null) {
      function = read(reference);
      resolved.set(function);
    }
    // The result type is the reference's own: the overloads of Function.of tie the two together.
    @SuppressWarnings("unchecked")
    MethodFunction<R> typed = (MethodFunction<R>) function;
    return typed;
  }

  private static MethodFunction<?> read(Serializable reference) {
    SerializedLambda lambda = lambda(reference);
    String type = lambda.getImplClass().replace('/', '.');
    String method = lambda.getImplMethodName();
    if (method.startsWith("lambda$")) {
      throw new GridException(
          Status.NOT_ALLOWED,
          ("code does not travel: %s has a lambda here, or a reference that the compiler turns into"
                      + " one (one with variable arguments, super::, an array's constructor or clone, a"
                      + " constructor of a local or inner class, a protected method of another package)")
                  .formatted(type)
              + REMEDY);
    }
    if (lambda.getCapturedArgCount() > 0) {
      throw new GridException(
          Status.NOT_ALLOWED,
          ("a function must not capture values, %s::%s captures its object here. Name Type::method"
                  + " and pass the object as the first argument, or call through an RRef")
              .formatted(type, method));
    }
    boolean constructor = lambda.getImplMethodKind() == MethodHandleInfo.REF_newInvokeSpecial;
    return new MethodFunction<>(
        owner(type, lambda, reference.getClass().getClassLoader()),
        constructor ? MethodFunction.CONSTRUCTOR : method,
        lambda.getImplMethodSignature());
  }

  /**
   * Returns the class to name. For {@code Dog::sound} with {@code sound} declared in {@code Animal}
   * javac writes {@code Animal} before JDK 18 and {@code Dog} since. What callees allow is mostly
   * the subclass, so that is taken if it is the annotated one of the two. A static method says
   * nothing of the subclass: there {@link Function#named} helps.
   */
  private static String owner(String declared, SerializedLambda lambda, ClassLoader loader) {
    int kind = lambda.getImplMethodKind();
    if (kind != MethodHandleInfo.REF_invokeVirtual
        && kind != MethodHandleInfo.REF_invokeInterface) {
      return declared;
    }
    List<String> parameters = MethodLookup.parameterNames(lambda.getInstantiatedMethodType());
    if (parameters.isEmpty() || parameters.get(0).equals(declared)) {
      return declared;
    }
    try {
      Class<?> declaring = Class.forName(declared, false, loader);
      Class<?> receiver = Class.forName(parameters.get(0), false, loader);
      return declaring.isAssignableFrom(receiver)
              && receiver.isAnnotationPresent(RemoteFunctions.class)
              && !declaring.isAnnotationPresent(RemoteFunctions.class)
          ? parameters.get(0)
          : declared;
    } catch (ClassNotFoundException | LinkageError e) {
      return declared; // An array, or a class of another loader: as the compiler wrote it.
    }
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
