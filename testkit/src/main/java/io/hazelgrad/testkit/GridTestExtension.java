package io.hazelgrad.testkit;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRefs;
import java.lang.reflect.AnnotatedElement;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Starts, gives, restores and ends the grids of {@link GridTest}. */
final class GridTestExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final Namespace OURS = Namespace.create(GridTestExtension.class);

  private static final Map<Class<?>, Function<GridCluster, Object>> PARAMETERS =
      Map.of(
          GridCluster.class, cluster -> cluster,
          Grid.class, GridCluster::grid,
          RRefs.class, GridCluster::rrefs);

  /** Makes the extension; JUnit calls this. */
  GridTestExtension() {}

  @Override
  public void beforeEach(ExtensionContext context) {
    grid(context).begin();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    grid(context).end(context.getExecutionException().isPresent());
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return PARAMETERS.containsKey(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    Function<GridCluster, Object> value = PARAMETERS.get(type);
    if (value == null) {
      throw new IllegalArgumentException("no parameter of a grid test is of " + type);
    }
    return value.apply(grid(context).cluster());
  }

  /** Returns the grid of a test. JUnit closes it with the context that has it. */
  private static TestGrid grid(ExtensionContext context) {
    ExtensionContext owner = owner(context);
    GridTest settings = annotation(owner.getElement());
    if (settings == null) {
      throw new GridException(
          Status.BAD_ARGUMENT, "no @GridTest is on " + context.getDisplayName() + " or around it");
    }
    return owner
        .getStore(OURS)
        .computeIfAbsent(TestGrid.class, key -> new TestGrid(settings), TestGrid.class);
  }

  /** Returns the context of the nearest element that has the annotation. */
  private static ExtensionContext owner(ExtensionContext context) {
    for (ExtensionContext each = context; ; each = each.getParent().orElseThrow()) {
      if (annotation(each.getElement()) != null || each.getParent().isEmpty()) {
        return each;
      }
    }
  }

  private static @Nullable GridTest annotation(Optional<? extends AnnotatedElement> element) {
    return AnnotationSupport.findAnnotation(element, GridTest.class).orElse(null);
  }
}
