package io.hazelgrad.grid.group;

/** What this package offers on a grid. */
record Services(Groups groups, Roles roles, Shutdown shutdown) {}
