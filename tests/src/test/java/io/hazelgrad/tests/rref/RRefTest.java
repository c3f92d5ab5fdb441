package io.hazelgrad.tests.rref;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** All tests that need the same three workers, which are started once. */
@ExtendWith(Workers.class)
class RRefTest {
  @Nested
  class Create extends Creating {}

  @Nested
  class Use extends Using {}

  @Nested
  class Share extends Sharing {}

  @Nested
  class Close extends Closing {}

  @Nested
  class Scope extends Scopes {}

  @Nested
  class FailedCreation extends FailedCreations {}

  @Nested
  class Explore extends Exploring {}

  @Nested
  class UnderLoad extends Load {}
}
