@NullMarked
package io.hazelgrad.autograd.nn;

import org.jspecify.annotations.NullMarked;
