@org.jspecify.annotations.NullMarked
package io.hazelgrad.cli.gpt;
