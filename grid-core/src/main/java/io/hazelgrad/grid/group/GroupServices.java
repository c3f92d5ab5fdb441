package io.hazelgrad.grid.group;

/** The services of this package on one grid. */
record GroupServices(Groups groups, Roles roles, Shutdown shutdown) {}
