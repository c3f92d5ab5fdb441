package io.hazelgrad.autograd.internal.plan;

/** The result of one step of planning: the plan, or the messages that it lacks. */
public sealed interface PlanningStep permits Plan, MissingMessages {}
