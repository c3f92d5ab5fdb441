package io.hazelgrad.grid.plane;

/**
 * What the tensor plane of a worker has done since it started, and what it holds now. Figures of
 * one moment, but not of exactly the same one.
 *
 * @param inline tensors sent in messages
 * @param shared tensors sent through shared memory
 * @param chunked tensors left for their receivers to fetch
 * @param streamed what receivers have fetched by streams; what they fetched in chunks is not there
 * @param local tensors that the worker sent to itself, without a copy
 * @param received tensors that arrived beside their message, by any way
 * @param fallbacks tensors that were meant for shared memory, but found no room there
 * @param poolBytes shared memory that this worker has made
 * @param poolLimit how much it may make; 0 if there is none
 * @param lentBytes how much of it is in the hands of receivers
 * @param heldBytes shared memory of other workers that tensors here lie in
 * @param offered tensors that wait to be fetched
 * @param arrivingBytes bytes of tensors that are being fetched
 * @param landedBytes memory outside the heap that tensors lie in which came by streams
 */
public record PlaneFigures(
    Traffic inline,
    Traffic shared,
    Traffic chunked,
    Traffic streamed,
    Traffic local,
    Traffic received,
    long fallbacks,
    long poolBytes,
    long poolLimit,
    long lentBytes,
    long heldBytes,
    int offered,
    long arrivingBytes,
    long landedBytes) {
  /**
   * What went one way.
   *
   * @param tensors how many
   * @param bytes the bytes of their elements
   */
  public record Traffic(long tensors, long bytes) {}
}
