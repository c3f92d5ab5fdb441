package io.hazelgrad.tests.rref;

import io.hazelgrad.tests.ClientSuite;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The tests of {@link RRefTest} run by a client, and those for clients only. */
@ClientSuite
@ExtendWith(Workers.class)
class ClientRRefTest {
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
  class OwnNothing extends OwningNothing {}
}
