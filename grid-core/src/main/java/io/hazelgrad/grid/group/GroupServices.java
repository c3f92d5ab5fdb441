package io.hazelgrad.grid.group;

/** What this package offers on a grid. */
record GroupServices(Groups groups, Roles roles, Shutdown shutdown) {}
