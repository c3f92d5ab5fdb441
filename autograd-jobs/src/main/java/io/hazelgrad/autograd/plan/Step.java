package io.hazelgrad.autograd.plan;

/** What one step of planning came to: the plan, or what is missing to make it. */
public sealed interface Step permits Plan, Missing {}
