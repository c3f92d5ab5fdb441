/** A page for browsers on this machine that shows a running grid. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.launcher.page;
