// The kernels of Hazelgrad's backend for NVIDIA GPUs. compile.py makes PTX of them.
//
// Arithmetic is in float, double or long long: kernels have the suffix _f, _d or _l. Kernels that only move elements
// have the number of bytes of an element as their suffix. No kernel uses atomics, so results do not depend on timing.
// A grid has any number of blocks: each thread takes one element after the other.

typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define EACH(i, n) for (i64 i = (i64) blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (i64) gridDim.x * blockDim.x)
#define INF __longlong_as_double(0x7ff0000000000000LL)

// The most dimensions that are left when neighbours which lie in one piece are joined.
#define RANK 12

// Walks over a shape with one step for each dimension and operand, in elements.
struct Walk {
    int rank, none;
    int size[RANK], a[RANK], b[RANK], c[RANK];
};

struct At { int a, b, c; };

// Returns where the operands' elements of place i lie.
__device__ inline At at(const Walk& w, i64 place) {
    At r = {0, 0, 0};
    u32 i = (u32) place;
    for (int d = w.rank - 1; d >= 0; d--) {
        u32 size = w.size[d], next = i / size, k = i - next * size;
        r.a += k * w.a[d]; r.b += k * w.b[d]; r.c += k * w.c[d];
        i = next;
    }
    return r;
}

// ---------------------------------------------------------------- functions of elements, in the order of Backend's enums

__device__ inline float  f_floor(float x) { return floorf(x); }
__device__ inline double f_floor(double x) { return floor(x); }
__device__ inline float  f_sqrt(float x) { return sqrtf(x); }
__device__ inline double f_sqrt(double x) { return sqrt(x); }
__device__ inline float  f_exp(float x) { return expf(x); }
__device__ inline double f_exp(double x) { return exp(x); }
__device__ inline float  f_expm1(float x) { return expm1f(x); }
__device__ inline double f_expm1(double x) { return expm1(x); }
__device__ inline float  f_log(float x) { return logf(x); }
__device__ inline double f_log(double x) { return log(x); }
__device__ inline float  f_log1p(float x) { return log1pf(x); }
__device__ inline double f_log1p(double x) { return log1p(x); }
__device__ inline float  f_sin(float x) { return sinf(x); }
__device__ inline double f_sin(double x) { return sin(x); }
__device__ inline float  f_cos(float x) { return cosf(x); }
__device__ inline double f_cos(double x) { return cos(x); }
__device__ inline float  f_tanh(float x) { return tanhf(x); }
__device__ inline double f_tanh(double x) { return tanh(x); }
__device__ inline float  f_erf(float x) { return erff(x); }
__device__ inline double f_erf(double x) { return erf(x); }
__device__ inline float  f_abs(float x) { return fabsf(x); }
__device__ inline double f_abs(double x) { return fabs(x); }
__device__ inline float  f_pow(float x, float y) { return powf(x, y); }
__device__ inline double f_pow(double x, double y) { return pow(x, y); }

template <typename T> __device__ inline T larger(T a, T b) { return a != a ? a : b != b ? b : a > b ? a : b; }
template <typename T> __device__ inline T smaller(T a, T b) { return a != a ? a : b != b ? b : a < b ? a : b; }

template <typename T> __device__ inline T unary(int op, T x) {
    switch (op) {
        case 0: return -x;
        case 1: return f_abs(x);
        case 2: return x > 0 ? 1 : x < 0 ? -1 : 0;
        case 3: return larger(x, (T) 0);
        case 4: return f_floor(x);
        case 5: return f_sqrt(x);
        case 6: return f_exp(x);
        case 7: return f_expm1(x);
        case 8: return f_log(x);
        case 9: return f_log1p(x);
        case 10: return f_sin(x);
        case 11: return f_cos(x);
        case 12: return f_tanh(x);
        case 13: { T e = f_exp(-f_abs(x)); return (x >= 0 ? (T) 1 : e) / (1 + e); }
        case 14: return smaller(x, (T) 0) - f_log1p(f_exp(-f_abs(x)));
        default: return f_erf(x);
    }
}

__device__ inline i64 unary(int op, i64 x) {
    switch (op) {
        case 0: return (i64) (0 - (u64) x);
        case 1: return x < 0 ? (i64) (0 - (u64) x) : x;
        case 2: return x > 0 ? 1 : x < 0 ? -1 : 0;
        default: return x > 0 ? x : 0;
    }
}

template <typename T> __device__ inline T binary(int op, T a, T b) {
    switch (op) {
        case 0: return a + b;
        case 1: return a - b;
        case 2: return a * b;
        case 3: return a / b;
        case 4: return larger(a, b);
        case 5: return smaller(a, b);
        case 6: return b == 2 ? a * a : f_pow(a, b);
        case 7: return a == b ? 1 : 0;
        case 8: return a < b ? 1 : 0;
        case 9: return a <= b ? 1 : 0;
        case 10: return a * (1 - b * b);
        case 11: return a * b * (1 - b);
        default: return b <= 0 ? 0 : a;
    }
}

__device__ inline i64 int_pow(i64 a, i64 b) {
    if (b < 0) return a == 1 ? 1 : a == -1 ? ((b & 1) == 0 ? 1 : -1) : 0;
    u64 result = 1, square = (u64) a;
    for (; b > 0; b >>= 1) { if (b & 1) result *= square; square *= square; }
    return (i64) result;
}

__device__ inline i64 binary(int op, i64 a, i64 b) {
    switch (op) {
        case 0: return (i64) ((u64) a + (u64) b);
        case 1: return (i64) ((u64) a - (u64) b);
        case 2: return (i64) ((u64) a * (u64) b);
        case 4: return a > b ? a : b;
        case 5: return a < b ? a : b;
        case 6: return int_pow(a, b);
        case 7: return a == b;
        case 8: return a < b;
        default: return a <= b;
    }
}

template <typename T> __device__ inline T neutral(int op) { return op == 0 ? 0 : op == 1 ? 1 : op == 2 ? (T) -INF : (T) INF; }
template <> __device__ inline i64 neutral<i64>(int op) {
    return op == 0 ? 0 : op == 1 ? 1 : op == 2 ? (i64) 0x8000000000000000ULL : 0x7fffffffffffffffLL;
}
template <typename T> __device__ inline T fold(int op, T a, T b) {
    return op == 0 ? a + b : op == 1 ? a * b : op == 2 ? larger(a, b) : smaller(a, b);
}

// ---------------------------------------------------------------- element-wise

// The elements that a thread reads or writes at once. All memory begins at a multiple of their bytes.
template <typename T> struct alignas(16) Pack { enum { N = 16 / sizeof(T) }; T x[N]; };

// Sets out[i] to f(i, x) for each element x of an operand.
template <typename T, typename F> __device__ inline void each_pack(T* out, const T* in, i64 n, const F& f) {
    const int N = Pack<T>::N;
    EACH(p, (n + N - 1) / N) {
        i64 i = p * N;
        if (i + N <= n) {
            Pack<T> x = ((const Pack<T>*) in)[p], y;
            for (int k = 0; k < N; k++) y.x[k] = f(i + k, x.x[k]);
            ((Pack<T>*) out)[p] = y;
        } else for (; i < n; i++) out[i] = f(i, in[i]);
    }
}

template <typename T> __device__ inline void unary_all(int op, T* out, const T* in, i64 n) {
    each_pack(out, in, n, [=] (i64, T x) { return unary(op, x); });
}

template <typename T> __device__ inline void binary_flat(int op, T* out, const T* a, const T* b, i64 n) {
    const int N = Pack<T>::N;
    EACH(p, (n + N - 1) / N) {
        i64 i = p * N;
        if (i + N <= n) {
            Pack<T> x = ((const Pack<T>*) a)[p], y = ((const Pack<T>*) b)[p];
            for (int k = 0; k < N; k++) x.x[k] = binary(op, x.x[k], y.x[k]);
            ((Pack<T>*) out)[p] = x;
        } else for (; i < n; i++) out[i] = binary(op, a[i], b[i]);
    }
}

template <typename T> __device__ inline void binary_number(int op, T* out, const T* a, T number, int first, i64 n) {
    each_pack(out, a, n, [=] (i64, T x) { return first ? binary(op, number, x) : binary(op, x, number); });
}

// Element i of a meets element i / inner % extent of b, which is the second operand unless `first` is set.
template <typename T> __device__ inline void binary_repeated(int op, T* out, const T* a, const T* b, int first, u32 inner, u32 extent, i64 n) {
    each_pack(out, a, n, [=] (i64 i, T x) {
        u32 q = inner == 1 ? (u32) i : (u32) i / inner;
        T y = b[extent == 1 ? 0 : q % extent];
        return first ? binary(op, y, x) : binary(op, x, y);
    });
}

// Returns whether an element precedes another one: it is greater (op 2) or less, or only it is NaN.
template <typename T> __device__ inline bool precedes(int op, T a, T b) {
    if (b != b) return false;
    return a != a || (op == 2 ? a > b : a < b);
}

// ---------------------------------------------------------------- reductions

// Each thread folds a part of the elements of one result: part p of `parts` of result o goes to out[p * n + o].
// The kept dimensions have the steps a, the reduced ones those of the second walk.
template <typename T> __device__ inline void reduce_threads(int op, T* out, const T* in, i64 n, int m, int parts, const Walk& kept, const Walk& gone) {
    int part = (m + parts - 1) / parts;
    EACH(i, n * parts) {
        i64 o = i % n;
        int p = (int) (i / n), from = p * part, to = from + part < m ? from + part : m;
        const T* x = in + at(kept, o).a;
        T sum = neutral<T>(op);
        if (gone.rank == 1) for (int k = from; k < to; k++) sum = fold(op, sum, x[(i64) k * gone.a[0]]);
        else for (int k = from; k < to; k++) sum = fold(op, sum, x[at(gone, k).a]);
        out[i] = sum;
    }
}

// Each block of 256 threads folds the elements of one result, as a tree.
template <typename T> __device__ inline void reduce_blocks(int op, T* out, const T* in, i64 n, int m, const Walk& kept, const Walk& gone) {
    __shared__ T tree[256];
    int t = threadIdx.x;
    for (i64 o = blockIdx.x; o < n; o += gridDim.x) {
        const T* x = in + at(kept, o).a;
        T sum = neutral<T>(op);
        if (gone.rank == 1) for (int k = t; k < m; k += 256) sum = fold(op, sum, x[(i64) k * gone.a[0]]);
        else for (int k = t; k < m; k += 256) sum = fold(op, sum, x[at(gone, k).a]);
        tree[t] = sum;
        __syncthreads();
        for (int s = 128; s > 0; s >>= 1) { if (t < s) tree[t] = fold(op, tree[t], tree[t + s]); __syncthreads(); }
        if (t == 0) out[o] = tree[0];
        __syncthreads();
    }
}

template <typename T> __device__ inline void index_of(int op, i64* out, const T* in, i64 n, int extent, int inner) {
    EACH(i, n) {
        const T* x = in + i / inner * extent * inner + i % inner;
        int best = 0;
        for (int k = 1; k < extent; k++) if (precedes(op, x[(i64) k * inner], x[(i64) best * inner])) best = k;
        out[i] = best;
    }
}

template <typename T> __device__ inline void cumulate(T* out, const T* in, i64 n, int extent, int inner, int backwards) {
    EACH(i, n) {
        i64 from = i / inner * extent * inner + i % inner;
        T sum = 0;
        for (int k = 0; k < extent; k++) {
            i64 p = from + (i64) (backwards ? extent - 1 - k : k) * inner;
            sum += in[p];
            out[p] = sum;
        }
    }
}

// ---------------------------------------------------------------- moves

// out[b] = in[a] for the places of a walk.
template <typename T> __device__ inline void copy_walk(T* out, const T* in, i64 n, const Walk& w) {
    EACH(i, n) { At p = at(w, i); out[p.b] = in[p.a]; }
}

// Transposes matrices [rows, columns], tile by tile; blocks of 32 x 8 threads.
template <typename T> __device__ inline void transpose(T* out, const T* in, int rows, int columns, int matrices) {
    __shared__ T tile[32][33];
    int across = (columns + 31) / 32, down = (rows + 31) / 32, x = threadIdx.x & 31, y = threadIdx.x >> 5;
    for (i64 b = blockIdx.x; b < (i64) matrices * across * down; b += gridDim.x) {
        i64 m = b / (across * down);
        int rest = (int) (b % (across * down)), c0 = rest % across * 32, r0 = rest / across * 32;
        const T* from = in + m * rows * columns;
        T* to = out + m * rows * columns;
        for (int k = y; k < 32; k += 8) if (r0 + k < rows && c0 + x < columns) tile[k][x] = from[(i64) (r0 + k) * columns + c0 + x];
        __syncthreads();
        for (int k = y; k < 32; k += 8) if (c0 + k < columns && r0 + x < rows) to[(i64) (c0 + k) * rows + r0 + x] = tile[x][k];
        __syncthreads();
    }
}

template <typename T> __device__ inline void take(T* out, const T* in, const i64* index, i64 n, int count, int extent, int inner) {
    EACH(i, n) {
        i64 row = i / inner, k = index[row % count];
        out[i] = k < 0 ? (T) 0 : in[(row / count * extent + k) * inner + i % inner];
    }
}

// The walk runs over the index; its steps a are those of x, with 0 along the dimension.
template <typename T> __device__ inline void gather(T* out, const T* in, const i64* index, i64 n, i64 step, const Walk& w) {
    EACH(i, n) { i64 k = index[i]; out[i] = k < 0 ? (T) 0 : in[at(w, i).a + k * step]; }
}

template <typename T> __device__ inline void select_walk(T* out, const T* condition, const T* a, const T* b, i64 n, const Walk& w) {
    EACH(i, n) { At p = at(w, i); out[i] = condition[p.a] != 0 ? a[p.b] : b[p.c]; }
}

// Adds the slices of each target in their order: those from starts[k] to starts[k + 1] in `order` belong to target k.
template <typename T> __device__ inline void put(T* out, const T* values, const i64* order, const i64* starts, i64 n, int extent, int inner, int count) {
    EACH(i, n) {
        i64 row = i / inner, k = row % extent;
        const T* x = values + row / extent * count * inner + i % inner;
        T sum = 0;
        for (i64 j = starts[k]; j < starts[k + 1]; j++) sum += x[order[j] * inner];
        out[i] = sum;
    }
}

// Adds, for each element of the result, the values along the dimension whose index is its place there. The walk runs
// over the result: its steps a are those of values and index with 0 along the dimension; size c of the dimension d.
template <typename T> __device__ inline void scatter(T* out, const T* values, const i64* index, i64 n, int count, i64 step, int extent, int inner, const Walk& w, const Walk& limits) {
    EACH(i, n) {
        i64 k = i / inner % extent;
        // A place beyond the index in another dimension gets nothing.
        bool within = true;
        u32 rest = (u32) i;
        i64 from = 0;
        for (int d = w.rank - 1; d >= 0; d--) {
            u32 size = w.size[d], next = rest / size, p = rest - next * size;
            within = within && (int) p < limits.size[d];
            from += (i64) p * w.a[d];
            rest = next;
        }
        T sum = 0;
        if (within) for (int j = 0; j < count; j++) if (index[from + j * step] == k) sum += values[from + j * step];
        out[i] = sum;
    }
}

// ---------------------------------------------------------------- windows

struct Span { int kernel, stride, padding, dilation, count, extent; };

template <typename T> __device__ inline void windows(T* out, const T* in, i64 n, const Span& rows, const Span& columns) {
    int counts = rows.count * columns.count, kernels = rows.kernel * columns.kernel;
    EACH(i, n) {
        int w = (int) (i % counts), e = (int) (i / counts % kernels);
        i64 plane = i / counts / kernels;
        int r = w / columns.count * rows.stride - rows.padding + e / columns.kernel * rows.dilation;
        int c = w % columns.count * columns.stride - columns.padding + e % columns.kernel * columns.dilation;
        bool inside = r >= 0 && r < rows.extent && c >= 0 && c < columns.extent;
        out[i] = inside ? in[(plane * rows.extent + r) * columns.extent + c] : (T) 0;
    }
}

template <typename T> __device__ inline void add_windows(T* out, const T* values, i64 n, const Span& rows, const Span& columns) {
    i64 counts = (i64) rows.count * columns.count;
    EACH(i, n) {
        int c = (int) (i % columns.extent), r = (int) (i / columns.extent % rows.extent);
        i64 plane = i / columns.extent / rows.extent;
        T sum = 0;
        for (int ki = 0; ki < rows.kernel; ki++) {
            int dr = r + rows.padding - ki * rows.dilation;
            if (dr < 0 || dr % rows.stride != 0 || dr / rows.stride >= rows.count) continue;
            for (int kj = 0; kj < columns.kernel; kj++) {
                int dc = c + columns.padding - kj * columns.dilation;
                if (dc < 0 || dc % columns.stride != 0 || dc / columns.stride >= columns.count) continue;
                i64 e = (plane * rows.kernel + ki) * columns.kernel + kj;
                sum += values[e * counts + dr / rows.stride * columns.count + dc / columns.stride];
            }
        }
        out[i] = sum;
    }
}

template <typename T> __device__ inline void index_of_max(i64* out, const T* in, i64 n, const Span& rows, const Span& columns) {
    int counts = rows.count * columns.count;
    EACH(i, n) {
        int w = (int) (i % counts);
        const T* x = in + i / counts * rows.extent * columns.extent;
        i64 best = -1;
        for (int ki = 0; ki < rows.kernel; ki++) {
            int r = w / columns.count * rows.stride - rows.padding + ki * rows.dilation;
            if (r < 0 || r >= rows.extent) continue;
            for (int kj = 0; kj < columns.kernel; kj++) {
                int c = w % columns.count * columns.stride - columns.padding + kj * columns.dilation;
                if (c < 0 || c >= columns.extent) continue;
                i64 p = (i64) r * columns.extent + c;
                if (best < 0 || precedes(2, x[p], x[best])) best = p;
            }
        }
        out[i] = best;
    }
}

// ---------------------------------------------------------------- products of integers

__device__ inline void matmul_long(i64* out, const i64* a, const i64* b, i64 n, int m, int k, int columns, int ta, int tb, i64 batchA, i64 batchB) {
    EACH(i, n) {
        int c = (int) (i % columns), r = (int) (i / columns % m);
        i64 batch = i / columns / m;
        const i64 *x = a + batch * batchA, *y = b + batch * batchB;
        u64 sum = 0;
        for (int j = 0; j < k; j++) sum += (u64) x[ta ? (i64) j * m + r : (i64) r * k + j] * (u64) y[tb ? (i64) c * k + j : (i64) j * columns + c];
        out[i] = (i64) sum;
    }
}

// ---------------------------------------------------------------- conversions: types as in DType's order

__device__ inline float half_to_float(u16 h) {
    u32 sign = (u32) (h & 0x8000) << 16, exponent = (h >> 10) & 0x1f, mantissa = h & 0x3ff;
    if (exponent == 0x1f) return __int_as_float((int) (sign | 0x7f800000 | (mantissa << 13)));
    if (exponent == 0) { float magnitude = mantissa * 5.9604644775390625e-8f; return sign ? -magnitude : magnitude; }
    return __int_as_float((int) (sign | ((exponent + 112) << 23) | (mantissa << 13)));
}

__device__ inline u16 float_to_half(float value) {
    u32 bits = (u32) __float_as_int(value), sign = (bits >> 16) & 0x8000;
    float magnitude = fabsf(value);
    if (value != value) return (u16) (sign | 0x7e00);
    if (magnitude >= 65520.f) return (u16) (sign | 0x7c00);
    if (magnitude < 6.103515625e-5f) return (u16) (sign | (u32) rintf(magnitude * 16777216.f));
    u32 rounded = (u32) __float_as_int(magnitude);
    rounded += 0xfff + ((rounded >> 13) & 1);
    return (u16) (sign | ((rounded >> 13) - (112 << 10)));
}

__device__ inline u16 float_to_bfloat(float value) {
    u32 bits = (u32) __float_as_int(value);
    return value != value ? (u16) ((bits >> 16) | 0x40) : (u16) ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// As Java casts: NaN becomes 0, too large numbers become the greatest or the least one.
__device__ inline i64 to_long(double x) {
    if (x != x) return 0;
    return x >= 9223372036854775807.0 ? 0x7fffffffffffffffLL : x <= -9223372036854775808.0 ? (i64) 0x8000000000000000ULL : (i64) x;
}
__device__ inline int to_int(double x) {
    if (x != x) return 0;
    return x >= 2147483647.0 ? 2147483647 : x <= -2147483648.0 ? (int) 0x80000000 : (int) x;
}

enum Type { F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL };

__device__ inline void store(void* out, int type, i64 i, double x) {
    switch (type) {
        case F64: ((double*) out)[i] = x; break;
        case F32: ((float*) out)[i] = (float) x; break;
        case F16: ((u16*) out)[i] = float_to_half((float) x); break;
        case BF16: ((u16*) out)[i] = float_to_bfloat((float) x); break;
        case I64: ((i64*) out)[i] = to_long(x); break;
        case I32: ((int*) out)[i] = to_int(x); break;
        case I16: ((u16*) out)[i] = (u16) to_int(x); break;
        case I8: case U8: ((u8*) out)[i] = (u8) to_int(x); break;
        default: ((u8*) out)[i] = x == 0 ? 0 : 1;
    }
}

__device__ inline void store(void* out, int type, i64 i, i64 x) {
    switch (type) {
        case F64: ((double*) out)[i] = (double) x; break;
        case F32: ((float*) out)[i] = (float) x; break;
        case F16: ((u16*) out)[i] = float_to_half((float) x); break;
        case BF16: ((u16*) out)[i] = float_to_bfloat((float) x); break;
        case I64: ((i64*) out)[i] = x; break;
        case I32: ((int*) out)[i] = (int) x; break;
        case I16: ((u16*) out)[i] = (u16) x; break;
        case I8: case U8: ((u8*) out)[i] = (u8) x; break;
        default: ((u8*) out)[i] = x == 0 ? 0 : 1;
    }
}

extern "C" __global__ void convert(void* out, const void* in, i64 n, int to, int from) {
    EACH(i, n) switch (from) {
        case F64: store(out, to, i, ((const double*) in)[i]); break;
        case F32: store(out, to, i, (double) ((const float*) in)[i]); break;
        case F16: store(out, to, i, (double) half_to_float(((const u16*) in)[i])); break;
        case BF16: store(out, to, i, (double) __int_as_float((int) ((u32) ((const u16*) in)[i] << 16))); break;
        case I64: store(out, to, i, ((const i64*) in)[i]); break;
        case I32: store(out, to, i, (i64) ((const int*) in)[i]); break;
        case I16: store(out, to, i, (i64) ((const short*) in)[i]); break;
        case I8: store(out, to, i, (i64) ((const signed char*) in)[i]); break;
        default: store(out, to, i, (i64) ((const u8*) in)[i]);
    }
}

// ---------------------------------------------------------------- whole layers of floats, one pass over memory

#define HALF_ROOT 0.70710678118654752440f
#define DENSITY 0.39894228040143267794f

extern "C" __global__ void gelu(float* out, const float* in, i64 n) {
    EACH(i, n) { float x = in[i]; out[i] = 0.5f * x * (1.f + erff(x * HALF_ROOT)); }
}
extern "C" __global__ void gelu_gradient(float* out, const float* gradient, const float* in, i64 n) {
    EACH(i, n) {
        float x = in[i];
        out[i] = gradient[i] * (0.5f * (1.f + erff(x * HALF_ROOT)) + x * DENSITY * expf(-0.5f * x * x));
    }
}

// Folds a number of each of 256 threads; all of them get the result.
__device__ inline float all_max(float x, float* tree) {
    tree[threadIdx.x] = x;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) { if ((int) threadIdx.x < s) tree[threadIdx.x] = larger(tree[threadIdx.x], tree[threadIdx.x + s]); __syncthreads(); }
    float result = tree[0];
    __syncthreads();
    return result;
}
__device__ inline float all_sum(float x, float* tree) {
    tree[threadIdx.x] = x;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) { if ((int) threadIdx.x < s) tree[threadIdx.x] += tree[threadIdx.x + s]; __syncthreads(); }
    float result = tree[0];
    __syncthreads();
    return result;
}

// Rows of a matrix; a block for each row. With `matrix` above 0, row r of each matrix has zeros behind element r.
extern "C" __global__ void softmax(float* out, const float* in, i64 rows, int columns, float scale, int matrix) {
    __shared__ float tree[256];
    for (i64 r = blockIdx.x; r < rows; r += gridDim.x) {
        const float* x = in + r * columns;
        float* y = out + r * columns;
        int seen = columns;
        if (matrix > 0) { int upTo = (int) (r % matrix) + 1; seen = upTo < columns ? upTo : columns; }
        float most = (float) -INF, sum = 0;
        for (int i = threadIdx.x; i < seen; i += 256) most = larger(most, x[i]);
        most = all_max(most, tree);
        for (int i = threadIdx.x; i < seen; i += 256) { float e = expf((x[i] - most) * scale); y[i] = e; sum += e; }
        sum = 1.f / all_sum(sum, tree);
        for (int i = threadIdx.x; i < columns; i += 256) y[i] = i < seen ? y[i] * sum : 0.f;
    }
}
extern "C" __global__ void softmax_gradient(float* out, const float* gradient, const float* output, i64 rows, int columns, float scale) {
    __shared__ float tree[256];
    for (i64 r = blockIdx.x; r < rows; r += gridDim.x) {
        const float *g = gradient + r * columns, *y = output + r * columns;
        float sum = 0;
        for (int i = threadIdx.x; i < columns; i += 256) sum += g[i] * y[i];
        sum = all_sum(sum, tree);
        for (int i = threadIdx.x; i < columns; i += 256) out[r * columns + i] = y[i] * (g[i] - sum) * scale;
    }
}
extern "C" __global__ void normalise(float* out, float* scales, const float* in, i64 rows, int columns, float eps) {
    __shared__ float tree[256];
    for (i64 r = blockIdx.x; r < rows; r += gridDim.x) {
        const float* x = in + r * columns;
        float sum = 0, squares = 0;
        for (int i = threadIdx.x; i < columns; i += 256) sum += x[i];
        float mean = all_sum(sum, tree) / columns;
        for (int i = threadIdx.x; i < columns; i += 256) { float d = x[i] - mean; squares += d * d; }
        float scale = 1.f / sqrtf(all_sum(squares, tree) / columns + eps);
        for (int i = threadIdx.x; i < columns; i += 256) out[r * columns + i] = (x[i] - mean) * scale;
        if (threadIdx.x == 0) scales[r] = scale;
    }
}
extern "C" __global__ void affine(float* out, const float* in, const float* weight, const float* bias, i64 n, int columns) {
    EACH(i, n) { int c = (int) (i % columns); out[i] = in[i] * weight[c] + bias[c]; }
}
extern "C" __global__ void normalise_gradient(float* out, const float* gradient, const float* normal, const float* scales, const float* weight, i64 rows, int columns) {
    __shared__ float tree[256];
    for (i64 r = blockIdx.x; r < rows; r += gridDim.x) {
        const float *g = gradient + r * columns, *x = normal + r * columns;
        float sum = 0, dot = 0;
        for (int i = threadIdx.x; i < columns; i += 256) { float h = g[i] * weight[i]; sum += h; dot += h * x[i]; }
        float mean = all_sum(sum, tree) / columns, slope = all_sum(dot, tree) / columns;
        for (int i = threadIdx.x; i < columns; i += 256) out[r * columns + i] = scales[r] * (g[i] * weight[i] - mean - x[i] * slope);
    }
}

// ---------------------------------------------------------------- steps of optimizers, all in one pass over memory

#define STEPS 24
#define VECTORS 12

// Step k changes a vector by a function of InPlaceKernels.Op: its code is the function + 256 * (d + 256 * (x + 256 * y)).
struct Program {
    double a[STEPS], b[STEPS];
    u64 vectors[VECTORS];
    u32 code[STEPS];
    int count, none;
};

template <typename T> __device__ inline T stepped(int op, T d, T a, T b, T x, T y) {
    switch (op) {
        case 0: return x * a;
        case 1: return d + a;
        case 2: return d + a * x;
        case 3: return d + a * x * y;
        case 4: return d + a * x / y;
        case 5: return d * x;
        case 6: return d / a;
        case 7: return d / x;
        case 8: return a / d;
        case 9: return f_sqrt(d);
        case 10: return f_abs(d);
        case 11: return larger(d, x);
        case 12: return x < 0 ? (T) 0 : d;
        case 13: return d - (x > 0 ? y : x < 0 ? -y : (T) 0);
        case 14: return d * (x > 0 ? b : x < 0 ? a : (T) 1);
        default: return smaller(larger(d, a), b);
    }
}

template <typename T> __device__ inline void run_steps(i64 n, const Program& p) {
    EACH(i, n) for (int k = 0; k < p.count; k++) {
        u32 code = p.code[k];
        T* d = (T*) p.vectors[code >> 8 & 255] + i;
        T x = ((const T*) p.vectors[code >> 16 & 255])[i], y = ((const T*) p.vectors[code >> 24])[i];
        *d = stepped<T>(code & 255, *d, (T) p.a[k], (T) p.b[k], x, y);
    }
}

extern "C" __global__ void steps_f(i64 n, Program p) { run_steps<float>(n, p); }
extern "C" __global__ void steps_d(i64 n, Program p) { run_steps<double>(n, p); }

// ---------------------------------------------------------------- the entry points for each type

#define ARITHMETIC(S, T) \
extern "C" __global__ void unary_##S(int op, T* out, const T* in, i64 n) { unary_all<T>(op, out, in, n); } \
extern "C" __global__ void binary_##S(int op, T* out, const T* a, const T* b, i64 n) { binary_flat<T>(op, out, a, b, n); } \
extern "C" __global__ void binaryr_##S(int op, T* out, const T* a, const T* b, int first, int inner, int extent, i64 n) { binary_repeated<T>(op, out, a, b, first, inner, extent, n); } \
extern "C" __global__ void number_##S(int op, T* out, const T* a, T number, int first, i64 n) { binary_number<T>(op, out, a, number, first, n); } \
extern "C" __global__ void binaryw_##S(int op, T* out, const T* a, const T* b, i64 n, Walk w) { EACH(i, n) { At p = at(w, i); out[i] = binary(op, a[p.a], b[p.b]); } } \
extern "C" __global__ void reduce_##S(int op, T* out, const T* in, i64 n, int m, int parts, Walk kept, Walk gone) { reduce_threads<T>(op, out, in, n, m, parts, kept, gone); } \
extern "C" __global__ void reduceb_##S(int op, T* out, const T* in, i64 n, int m, Walk kept, Walk gone) { reduce_blocks<T>(op, out, in, n, m, kept, gone); } \
extern "C" __global__ void indexof_##S(int op, i64* out, const T* in, i64 n, int extent, int inner) { index_of<T>(op, out, in, n, extent, inner); } \
extern "C" __global__ void cumulate_##S(T* out, const T* in, i64 n, int extent, int inner, int backwards) { cumulate<T>(out, in, n, extent, inner, backwards); } \
extern "C" __global__ void select_##S(T* out, const T* condition, const T* a, const T* b, i64 n, Walk w) { select_walk<T>(out, condition, a, b, n, w); } \
extern "C" __global__ void put_##S(T* out, const T* values, const i64* order, const i64* starts, i64 n, int extent, int inner, int count) { put<T>(out, values, order, starts, n, extent, inner, count); } \
extern "C" __global__ void scatter_##S(T* out, const T* values, const i64* index, i64 n, int count, int step, int extent, int inner, Walk w, Walk limits) { scatter<T>(out, values, index, n, count, step, extent, inner, w, limits); } \
extern "C" __global__ void addwindows_##S(T* out, const T* values, i64 n, Span rows, Span columns) { add_windows<T>(out, values, n, rows, columns); } \
extern "C" __global__ void indexofmax_##S(i64* out, const T* in, i64 n, Span rows, Span columns) { index_of_max<T>(out, in, n, rows, columns); }

ARITHMETIC(f, float)
ARITHMETIC(d, double)
ARITHMETIC(l, i64)

extern "C" __global__ void matmul_l(i64* out, const i64* a, const i64* b, i64 n, int m, int k, int columns, int ta, int tb, i64 batchA, i64 batchB) {
    matmul_long(out, a, b, n, m, k, columns, ta, tb, batchA, batchB);
}

#define MOVES(S, T) \
extern "C" __global__ void copy_##S(T* out, const T* in, i64 n, Walk w) { copy_walk<T>(out, in, n, w); } \
extern "C" __global__ void transpose_##S(T* out, const T* in, int rows, int columns, int matrices) { transpose<T>(out, in, rows, columns, matrices); } \
extern "C" __global__ void take_##S(T* out, const T* in, const i64* index, i64 n, int count, int extent, int inner) { take<T>(out, in, index, n, count, extent, inner); } \
extern "C" __global__ void gather_##S(T* out, const T* in, const i64* index, i64 n, int step, Walk w) { gather<T>(out, in, index, n, step, w); } \
extern "C" __global__ void windows_##S(T* out, const T* in, i64 n, Span rows, Span columns) { windows<T>(out, in, n, rows, columns); }

MOVES(1, u8)
MOVES(2, u16)
MOVES(4, u32)
MOVES(8, u64)
