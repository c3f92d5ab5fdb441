@org.jspecify.annotations.NullMarked
package io.hazelgrad.spring;
