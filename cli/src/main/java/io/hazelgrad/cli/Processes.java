package io.hazelgrad.cli;

/** The processes of the workers that are measured. */
public interface Processes {
  /** Kills a worker (SIGKILL). The others may not have noticed when this returns. */
  void kill(String worker);

  /** Starts a worker that is new or has ended, and waits until it has joined. */
  void start(String worker);
}
