package io.hazelgrad.grid.plane;

/**
 * The transfers of a worker's tensor plane since it started, and the memory that it uses now. The
 * figures are read one after the other while transfers go on.
 *
 * @param inline tensors sent in messages
 * @param shared tensors sent through shared memory
 * @param chunked tensors left for their receivers to fetch, by streams or in chunks
 * @param streamed tensors that receivers have fetched by streams
 * @param local tensors that the worker sent to itself, without a copy
 * @param received tensors that arrived beside their message, on any route
 * @param fallbacks tensors that found no room in shared memory
 * @param poolBytes the size of this worker's shared memory, in bytes
 * @param poolLimit the largest size that it may have; 0 if there is none
 * @param lentBytes the part of it that receivers use
 * @param heldBytes the bytes of other workers' shared memory that tensors of this worker use
 * @param offered tensors that wait to be fetched
 * @param arrivingBytes the bytes of tensors that are being fetched
 * @param bufferBytes the bytes outside the heap that hold tensors from streams
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
    long bufferBytes) {
  /** The number of tensors that were transferred on one route, and the bytes of their elements. */
  public record Traffic(long tensors, long bytes) {}
}
