package io.hazelgrad.tests.rref;

import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/** All tests that need the same three workers, which are started once. */
@ExtendWith(Workers.class)
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
class RRefTest {
  @Nested
  class Create extends CreationSuite {}

  @Nested
  class Use extends UseSuite {}

  @Nested
  class Share extends SharingSuite {}

  @Nested
  class Close extends ClosingSuite {}

  @Nested
  class Scope extends ScopeSuite {}

  @Nested
  class FailedCreation extends FailedCreationSuite {}

  @Nested
  class Explore extends ExplorerSuite {}

  /** The last one: while its ended entries stay in the registry, each search passes all of them. */
  @Nested
  @Order(Integer.MAX_VALUE)
  class UnderLoad extends LoadSuite {}
}
