package io.hazelgrad.autograd.internal.plan;

/** What one step of planning came to: the plan, or what is missing to make it. */
public sealed interface PlanningStep permits Plan, MissingMessages {}
