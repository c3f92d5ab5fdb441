package io.hazelgrad.grid;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Why a {@link GridException} was thrown, and what the caller does next. */
@RemoteValue
public enum Status {
  /** The deadline passed. The work may have run or may still run; ask the worker before a retry. */
  TIMEOUT,
  /** The caller cancelled. The work may have run. */
  CANCELLED,
  /** The worker left the grid or died before it answered. Choose another worker. */
  WORKER_LOST,
  /** No worker of that name is in the grid. Check the name, or wait until the worker has joined. */
  UNKNOWN_WORKER,
  /** Another living worker has the name. Choose another one. */
  NAME_TAKEN,
  /** The worker has no room for the call, or does not take calls now. Retry later. */
  REJECTED,
  /** The function or operator does not exist at the worker. Deploy the code, check the spelling. */
  UNKNOWN_FUNCTION,
  /**
   * A message carries no proof of the grid's secret, or a wrong one. Give all workers and clients
   * the same secret file.
   */
  UNAUTHORIZED,
  /**
   * The class is not on the worker's allow-list, or the caller has none of the roles that the
   * function is limited to. Annotate or configure the class there; give the caller the role.
   */
  NOT_ALLOWED,
  /** A value cannot travel, or arrived damaged. The message says which one and why. */
  BAD_VALUE,
  /** An argument breaks a rule that the message names. Correct it. */
  BAD_ARGUMENT,
  /** The configuration lacks something or asks for what does not work. The message says more. */
  BAD_CONFIG,
  /** This grid, or this part of it, has been closed. Join anew. */
  CLOSED,
  /**
   * This worker is cut off from most of the others and may change nothing that they share. Wait
   * until it has found them again, or ask one of them.
   */
  NO_QUORUM,
  /**
   * This worker or client is cut off from the grid, or was. While {@link Grid#isSuspended}, a
   * worker keeps what it holds, and calls work again when it resumes. Otherwise it has given up
   * what it held and joins anew by itself: get calls, services and references anew from the {@code
   * Grid} or {@code GridClient}.
   */
  FENCED,
  /** The owner of the referenced object was lost, and the object with it. Create it anew. */
  RREF_LOST,
  /** This handle was closed. Ask its maker for another one. */
  RREF_CLOSED,
  /** No reference to the object was left when the message arrived. Keep the handle open longer. */
  RREF_GONE,
  /** The object's creation failed; the cause says why. */
  RREF_FAILED,
  /** The object's creation did not end within its deadline. Create it anew, with a longer one. */
  RREF_TIMED_OUT,
  /** A grid closed while it held or owned references, and its options take that as an error. */
  RREF_LEAKED,
  /** The object lives on another worker. Use toHere(), or call a method through the reference. */
  RREF_NOT_OWNER,
  /** The autograd context was closed, here or by its originator. Open another one. */
  CONTEXT_CLOSED,
  /** Another backward pass that has not ended holds part of the graph. Retry after it. */
  PASS_CONFLICT,
  /** An earlier pass freed the graph's saved tensors. Use retainGraph on the earlier one. */
  GRAPH_FREED,
  /** A backward pass failed; no worker keeps anything of it. The message names worker and node. */
  PASS_FAILED,
  /** The called function threw; the cause and {@link GridException#remote()} say what and where. */
  USER_ERROR,
  /** A fault rule of a test lets the message fail, see {@code Faults}. Nothing has left. */
  INTENTIONAL_FAILURE,
  /** A fault of Hazelgrad itself. Please report it with the stack trace. */
  INTERNAL;

  /** Returns the status of a name, or null: a newer worker may know more of them. */
  public static @Nullable Status byName(String name) {
    return Arrays.stream(values())
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElse(null);
  }
}
