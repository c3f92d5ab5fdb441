package io.hazelgrad.rref.internal.registry;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRefId;
import java.util.List;

/** Hears that entries have ended, so that the owner drops the objects at once. */
public interface EntryEndListener {
  /** The key under which a member's listener lies in the user context of its Hazelcast instance. */
  String KEY = "io.hazelgrad.rref.hints";

  /** Called on a partition thread: entries that this member keeps have ended. */
  void endedHere(List<RRefId> ids);

  /** Called on any thread: the registry replied that the entry of an owner's object has ended. */
  void ended(RRefId id, Worker owner);
}
