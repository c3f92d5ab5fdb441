@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.files;
