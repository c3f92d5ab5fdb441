package io.hazelgrad.grid;

import com.hazelcast.core.HazelcastInstance;
import java.util.List;

/**
 * The common part of a worker and a thin client: both call workers and use services. Code that
 * trains or calls can be written once for {@link Grid} and for {@code GridClient}. Applications use
 * it and do not implement it. Threads: safe.
 */
public interface GridAccess {
  /** Returns calls with the configured deadline. */
  Rpc rpc();

  /** Returns the living workers by id, from the directory's map; throws TIMEOUT if it is slow. */
  List<Worker> workers();

  /**
   * Returns a living worker by its name or {@link Worker#callee}.
   *
   * @throws GridException UNKNOWN_WORKER if there is none; TIMEOUT as {@link #workers} does
   */
  Worker worker(String name);

  /** Returns a living worker by its id; throws as {@link #worker(String)}. */
  default Worker worker(long id) {
    return worker("#" + id);
  }

  /** Returns the codecs used here, to use more of them for a while. */
  Codecs codecs();

  /** Returns the service of a module, such as {@code RRefs}; throws BAD_CONFIG if there is none. */
  <S> S service(Class<S> type);

  /** Returns the number of calls made here that have no answer yet. */
  int outstandingCalls();

  /** Returns the Hazelcast member or client below. */
  HazelcastInstance hazelcast();
}
