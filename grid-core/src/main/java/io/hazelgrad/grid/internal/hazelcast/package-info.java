/**
 * All that needs Hazelcast's non-public API, which another release may change: calls between
 * members as operations, the messages by which sides of a split meet, and the configured
 * serializers.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.hazelcast;
