package io.hazelgrad.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** The explanations of an application that cannot start, and the properties' metadata. */
class FailureAnalysisTest {

  @ParameterizedTest
  @CsvSource({
    "hazelgrad.max-running, 0",
    "hazelgrad.max-queued, -1",
    "hazelgrad.max-waiting, 0",
    "hazelgrad.max-request-bytes, 0B",
    "hazelgrad.call-timeout, PT-1S",
    "hazelgrad.reconcile-every, PT0S",
    "hazelgrad.client-grace, PT0.001S",
    "hazelgrad.founding-size, 0",
    "hazelgrad.roles, a role",
    "hazelgrad.devices, nothing",
    "hazelgrad.name, two words",
    "hazelgrad.secret-file, no-such-file",
    "hazelgrad.drain, PT-1S"
  })
  void failureNamesPropertyAndValueIfTheGridRefusesIt(String property, String value) {
    TestMember.first("shop")
        .withPropertyValues(property + "=" + value)
        .run(
            context -> {
              FailureAnalysis analysis = new BadPropertyAnalyzer().analyze(failure(context));
              assertThat(analysis).isNotNull();
              assertThat(analysis.getDescription()).contains(property).contains(value);
              assertThat(analysis.getAction()).contains(property);
            });
  }

  @Test
  void failureAsksForANameIfThereIsNone() {
    TestMember.withoutMember()
        .run(
            context ->
                assertThat(new BadPropertyAnalyzer().analyze(failure(context)).getDescription())
                    .contains("hazelgrad.name", "spring.application.name"));
  }

  @Test
  void failureSaysToChangeTheNameIfAnotherWorkerHasIt() {
    TestMember.first("shop")
        .run(
            first ->
                TestMember.joining("shop", first.getBean(HazelcastInstance.class))
                    .run(
                        second -> {
                          FailureAnalysis analysis =
                              new GridExceptionAnalyzer().analyze(failure(second));
                          assertThat(analysis.getDescription()).contains("NAME_TAKEN", "shop");
                          assertThat(analysis.getAction()).contains("hazelgrad.name");
                        }));
  }

  @Test
  void metadataDescribesEachProperty() throws IOException {
    String metadata = text("META-INF/spring-configuration-metadata.json");
    for (var component : HazelgradProperties.class.getRecordComponents()) {
      String name = component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      assertThat(metadata).containsPattern("\"name\": \"hazelgrad\\." + name + "\"[^}]*\"descrip");
    }
  }

  private static String text(String resource) throws IOException {
    try (InputStream in =
        HazelgradProperties.class.getClassLoader().getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Throwable failure(AssertableApplicationContext context) {
    assertThat(context).hasFailed();
    return context.getStartupFailure();
  }
}
