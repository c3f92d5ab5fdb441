/** The state of a grid as text and JSON. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.cli.status;
