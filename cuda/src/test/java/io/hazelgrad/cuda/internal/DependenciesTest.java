package io.hazelgrad.cuda.internal;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The artifact stands on what others may use, too. */
@AnalyzeClasses(
    packages = "io.hazelgrad.cuda",
    importOptions = ImportOption.DoNotIncludeTests.class)
class DependenciesTest {
  @ArchTest
  static final ArchRule internalPackagesOfOtherModulesAreNotUsed =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.hazelgrad.grid.internal..",
              "io.hazelgrad.rref.internal..",
              "io.hazelgrad.autograd.internal..");
}
