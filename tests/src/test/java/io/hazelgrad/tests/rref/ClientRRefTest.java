package io.hazelgrad.tests.rref;

import io.hazelgrad.tests.ClientSuite;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The tests of {@link RRefTest} run by a client, and those for clients only. */
@ClientSuite
@ExtendWith(Workers.class)
class ClientRRefTest {
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
  class OwnNothing extends ClientReferenceSuite {}
}
