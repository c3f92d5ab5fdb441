/** The starter for Spring Boot: a grid on the application's own Hazelcast member. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.spring;
