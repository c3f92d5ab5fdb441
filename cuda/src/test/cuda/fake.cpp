// A GPU for tests, on the CPU: CUDA's driver and the part of cuBLAS that Hazelgrad calls. The kernels are the same text
// from which the PTX is made.
//
// Work is late: a stream's work waits in a queue until somebody waits for it, or until chance lets a part of it run. So
// a buffer that is used again too early gives wrong results here, too. Memory has guards around it that are checked, and
// begins as NaN. An address outside of memory, wrong parameters, or a broken guard is an error of the call, or of the
// next one that waits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <ucontext.h>
#include <utility>

struct Index { unsigned x, y, z; };
static Index threadIdx, blockIdx, blockDim, gridDim;
static void wait_for_block();
template <class To, class From> static To bits(From value) { To to; memcpy(&to, &value, sizeof to); return to; }
static double __longlong_as_double(long long v) { return bits<double>(v); }
static float __int_as_float(int v) { return bits<float>(v); }
static int __float_as_int(float v) { return bits<int>(v); }
#define __global__
#define __device__
#define __shared__ static
#define __syncthreads wait_for_block
#include "kernels.cu"

// ---- a block: threads one after the other, or as fibers where they wait for each other
static const int MOST_THREADS = 256, STACK = 65536;
static ucontext_t main_context, fibers[MOST_THREADS];
static char* stacks;
static int current;
static bool ended[MOST_THREADS];
static std::function<void()> body;
static void wait_for_block() { swapcontext(&fibers[current], &main_context); }
static void fiber() { body(); ended[current] = true; swapcontext(&fibers[current], &main_context); }
static void run_block(bool waits) {
    unsigned n = blockDim.x;
    if (!waits) { for (unsigned i = 0; i < n; i++) { threadIdx = {i, 0, 0}; body(); } return; }
    if (!stacks) stacks = (char*) malloc(MOST_THREADS * STACK);
    for (unsigned i = 0; i < n; i++) {
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp = stacks + i * STACK;
        fibers[i].uc_stack.ss_size = STACK;
        fibers[i].uc_link = nullptr;
        makecontext(&fibers[i], fiber, 0);
        ended[i] = false;
    }
    for (bool any = true; any;) {
        any = false;
        for (unsigned i = 0; i < n; i++) if (!ended[i]) {
            current = i;
            threadIdx = {i, 0, 0};
            swapcontext(&main_context, &fibers[i]);
            any |= !ended[i];
        }
    }
}

// ---- kernels by name, with their parameters taken from a buffer as C lays them out
struct Kernel { const char* name; std::function<void()> (*take)(const char*, size_t); bool waits; };
template <class T> static T next(const char* from, size_t& at) {
    at = (at + alignof(T) - 1) / alignof(T) * alignof(T);
    T value;
    memcpy(&value, from + at, sizeof value);
    at += sizeof value;
    return value;
}
template <class... A> static std::function<void()> bound(void (*f)(A...), const char* from, size_t size) {
    size_t at = 0;
    std::tuple<A...> values{next<A>(from, at)...};
    if (at != size) return nullptr;
    return [=] { std::apply(f, values); };
}
template <auto F> static std::function<void()> take_(const char* from, size_t size) { return bound(F, from, size); }
#define K(name) {#name, take_<name>, false},
#define KW(name) {#name, take_<name>, true},
#define FOR_TYPES(M, name) M(name##_f) M(name##_d) M(name##_l)
#define FOR_SIZES(M, name) M(name##_1) M(name##_2) M(name##_4) M(name##_8)
static Kernel kernels[] = {
    FOR_TYPES(K, unary) FOR_TYPES(K, binary) FOR_TYPES(K, number) FOR_TYPES(K, binaryr) FOR_TYPES(K, binaryw) FOR_TYPES(K, reduce)
    FOR_TYPES(KW, reduceb) FOR_TYPES(K, indexof) FOR_TYPES(K, cumulate) FOR_TYPES(K, select) FOR_TYPES(K, put)
    FOR_TYPES(K, scatter) FOR_TYPES(K, addwindows) FOR_TYPES(K, indexofmax)
    FOR_SIZES(K, copy) FOR_SIZES(KW, transpose) FOR_SIZES(K, take) FOR_SIZES(K, gather) FOR_SIZES(K, windows)
    K(convert) K(matmul_l) K(gelu) K(gelu_gradient) KW(softmax) KW(softmax_gradient) KW(normalise) K(affine)
    KW(normalise_gradient) K(steps_f) K(steps_d)
};

// ---- memory
static const size_t GUARD = 2048, LIMIT = (size_t) 256 << 20;
static const unsigned char GUARD_BYTE = 0xfd;
static std::map<uint64_t, size_t> memory;
static size_t used;
static bool inside(uint64_t at, size_t bytes) {
    auto found = memory.upper_bound(at);
    return found != memory.begin() && at + bytes <= std::prev(found)->first + std::prev(found)->second;
}
static bool guarded(uint64_t at, size_t bytes) {
    static const std::string guard(GUARD, (char) GUARD_BYTE);
    return !memcmp((char*) at - GUARD, guard.data(), GUARD) && !memcmp((char*) at + bytes, guard.data(), GUARD);
}

// ---- one stream
enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 101, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700 };
static std::recursive_mutex lock;
#define LOCKED std::lock_guard<std::recursive_mutex> held(lock)
static std::deque<std::function<bool()>> queue_;
static uint64_t submitted, done, chance = 12345;
static int failure;
static std::map<uint64_t, uint64_t> events;
static uint64_t waits;
static int run_until(uint64_t end) {
    for (; done < end && !failure; done++) {
        if (!queue_.front()()) failure = ILLEGAL_ADDRESS;
        queue_.pop_front();
    }
    if (waits++ % 64 == 0) for (auto& m : memory) if (!guarded(m.first, m.second)) failure = ILLEGAL_ADDRESS;
    return failure;
}
static int submit(std::function<bool()> work) {
    if (failure) return failure;
    queue_.push_back(std::move(work));
    submitted++;
    chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
    if ((chance >> 60) == 0) run_until(done + (chance >> 33) % (submitted - done + 1));
    return OK;
}

#define API extern "C" int
API cuInit(unsigned) { return OK; }
API cuDriverGetVersion(int* v) { *v = 13000; return OK; }
API cuDeviceGetCount(int* n) { *n = 1; return OK; }
API cuDeviceGet(int* d, int n) { *d = n; return n == 0 ? OK : NO_DEVICE; }
API cuDeviceGetName(char* s, int n, int) { snprintf(s, n, "a GPU for tests"); return OK; }
API cuDeviceTotalMem_v2(size_t* bytes, int) { *bytes = LIMIT; return OK; }
API cuDevicePrimaryCtxRetain(uint64_t* c, int) { *c = 42; return OK; }
API cuCtxSetCurrent(uint64_t c) { return c == 42 ? OK : 201; }
API cuGetErrorString(int e, const char** s) { *s = e == ILLEGAL_ADDRESS ? "an illegal memory access" : "an error"; return OK; }
API cuMemAlloc_v2(uint64_t* p, size_t n) {
    LOCKED;
    if (failure) return failure;
    if (used + n > LIMIT) return OUT_OF_MEMORY;
    unsigned char* q = (unsigned char*) aligned_alloc(256, (n + 2 * GUARD + 255) / 256 * 256);
    memset(q, GUARD_BYTE, GUARD);
    memset(q + GUARD, 0xff, n);
    memset(q + GUARD + n, GUARD_BYTE, GUARD);
    *p = (uint64_t) (q + GUARD);
    memory[*p] = n;
    used += n;
    return OK;
}
API cuMemFree_v2(uint64_t p) {
    LOCKED;
    if (run_until(submitted)) return failure;
    auto found = memory.find(p);
    if (found == memory.end()) return INVALID;
    used -= found->second;
    memory.erase(found);
    free((unsigned char*) p - GUARD);
    return OK;
}
API cuMemHostAlloc(void** p, size_t n, unsigned) { *p = aligned_alloc(4096, (n + 4095) / 4096 * 4096); return OK; }
API cuMemcpyHtoDAsync_v2(uint64_t d, const void* h, size_t n, uint64_t) {
    LOCKED;
    return submit([=] { if (!inside(d, n)) return false; memcpy((void*) d, h, n); return true; });
}
API cuMemcpyDtoHAsync_v2(void* h, uint64_t d, size_t n, uint64_t) {
    LOCKED;
    return submit([=] { if (!inside(d, n)) return false; memcpy(h, (void*) d, n); return true; });
}
API cuMemsetD8Async(uint64_t d, unsigned char v, size_t n, uint64_t) {
    LOCKED;
    return submit([=] { if (!inside(d, n)) return false; memset((void*) d, v, n); return true; });
}
API cuStreamCreate(uint64_t* s, unsigned) { *s = 7; return OK; }
API cuStreamSynchronize(uint64_t) { LOCKED; return run_until(submitted); }
API cuEventCreate(uint64_t* e, unsigned) { LOCKED; static uint64_t next = 100; *e = next++; events[*e] = 0; return OK; }
API cuEventRecord(uint64_t e, uint64_t) { LOCKED; events[e] = submitted; return failure; }
API cuEventSynchronize(uint64_t e) { LOCKED; return run_until(events[e]); }
// A microsecond for each piece of work.
API cuEventElapsedTime_v2(float* ms, uint64_t from, uint64_t to) { LOCKED; *ms = (events[to] - events[from]) * 1e-3f; return failure; }
API cuEventDestroy_v2(uint64_t e) { LOCKED; events.erase(e); return OK; }
API cuModuleLoadData(uint64_t* m, const void* ptx) { *m = 9; return memcmp(ptx, "// source", 9) ? 200 : OK; }
API cuModuleGetFunction(uint64_t* f, uint64_t, const char* name) {
    for (auto& k : kernels) if (!strcmp(k.name, name)) { *f = (uint64_t) &k; return OK; }
    return NOT_FOUND;
}
API cuLaunchKernel(uint64_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, uint64_t stream, void** params, void** extra) {
    LOCKED;
    if (stream != 7 || gx == 0 || gy != 1 || gz != 1 || bx != MOST_THREADS || by != 1 || bz != 1 || shared || params || !extra) return INVALID;
    if (extra[0] != (void*) 1 || extra[2] != (void*) 2 || extra[4]) return INVALID;
    Kernel* kernel = (Kernel*) f;
    std::function<void()> call = kernel->take((const char*) extra[1], *(size_t*) extra[3]);
    if (!call) return INVALID;
    return submit([=] {
        gridDim = {gx, 1, 1};
        blockDim = {bx, 1, 1};
        body = call;
        for (unsigned b = 0; b < gx; b++) { blockIdx = {b, 0, 0}; run_block(kernel->waits); }
        return true;
    });
}

// ---- cuBLAS
API cublasCreate_v2(void** h) { *h = (void*) 77; return OK; }
API cublasSetStream_v2(void*, uint64_t s) { return s == 7 ? OK : 7; }
API cublasSetMathMode(void*, int) { return OK; }
template <class T> static int multiply(void* h, int ta, int tb, int m, int n, int k, T alpha, uint64_t a, int lda, long sa, uint64_t b, int ldb, long sb, T beta, uint64_t c, int ldc, long sc, int count) {
    LOCKED;
    size_t size = sizeof(T);
    if (h != (void*) 77 || alpha != 1 || beta != 0 || m < 1 || n < 1 || k < 1 || count < 1) return 7;
    if (lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return 7;
    return submit([=] {
        for (int p = 0; p < count; p++) {
            const T *x = (const T*) a + p * sa, *y = (const T*) b + p * sb;
            T* z = (T*) c + p * sc;
            if (!inside((uint64_t) x, size * lda * (ta ? m : k)) || !inside((uint64_t) y, size * ldb * (tb ? k : n)) || !inside((uint64_t) z, size * ldc * n)) return false;
            for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) {
                T sum = 0;
                for (int q = 0; q < k; q++) sum += x[ta ? (size_t) i * lda + q : (size_t) q * lda + i] * y[tb ? (size_t) q * ldb + j : (size_t) j * ldb + q];
                z[(size_t) j * ldc + i] = sum;
            }
        }
        return true;
    }) ? 13 : OK;
}
API cublasGemmStridedBatchedEx(void* h, int ta, int tb, int m, int n, int k, const void* alpha, uint64_t a, int typeA, int lda, long sa, uint64_t b, int typeB, int ldb, long sb, const void* beta, uint64_t c, int typeC, int ldc, long sc, int count, int compute, int) {
    if (typeA != typeB || typeA != typeC || compute != (typeA == 1 ? 70 : 68)) return 7;
    return typeA == 1 ? multiply<double>(h, ta, tb, m, n, k, *(const double*) alpha, a, lda, sa, b, ldb, sb, *(const double*) beta, c, ldc, sc, count)
                      : multiply<float>(h, ta, tb, m, n, k, *(const float*) alpha, a, lda, sa, b, ldb, sb, *(const float*) beta, c, ldc, sc, count);
}
API cublasGemmEx(void* h, int ta, int tb, int m, int n, int k, const void* alpha, uint64_t a, int typeA, int lda, uint64_t b, int typeB, int ldb, const void* beta, uint64_t c, int typeC, int ldc, int compute, int algorithm) {
    return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, typeA, lda, 0, b, typeB, ldb, 0, beta, c, typeC, ldc, 0, 1, compute, algorithm);
}
