// Enough of CUDA C++ to run a kernel's source on the host: a block is an OS thread, a CUDA thread is a fiber in it.
// Fibers change at barriers, warp operations, atomics and fences, so every thread advances, as on hardware since sm_70.
#pragma once
#define __CUDA_HOST_RUN__ 1
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <ucontext.h>

#include <cassert>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#undef __global__
#undef __device__
#undef __shared__
#undef __constant__
#undef __noinline__
#undef __forceinline__
#undef __launch_bounds__
#define __global__
#define __device__
#define __constant__
#define __shared__ thread_local
#define __noinline__
#define __forceinline__ inline
#define __launch_bounds__(...)

namespace host {
struct Fiber {
    uint3 thread;
    int linear;
    bool done = false;
    ucontext_t context;
    std::unique_ptr<char[]> stack;
};
struct Meeting {  // a rendezvous of the lanes in a mask: values of two rounds, so nobody overwrites what others still read
    int count = 0;
    unsigned round = 0;
    unsigned long long values[2][32];
};
struct Barrier {
    int count = 0, round = 0, sum = 0, result[2] = {0, 0};
};
struct Block {
    uint3 index;
    dim3 grid, size;
    std::vector<Fiber> fibers;
    std::vector<char> dynamic;
    Barrier barriers[16];
    std::map<std::pair<int, unsigned>, Meeting> meetings;
    ucontext_t scheduler;
    int alive = 0;
};
inline thread_local Block *block;
inline thread_local Fiber *self;

inline void yield() { swapcontext(&self->context, &block->scheduler); }
inline int lane() { return self->linear % 32; }
inline unsigned resident() {
    int left = (int)block->fibers.size() - self->linear / 32 * 32;
    return left >= 32 ? ~0u : (1u << left) - 1;
}
inline bool complete(Barrier &b, int count) {  // count 0: all threads that are alive
    if (b.count != (count ? count : block->alive)) return false;
    b.result[b.round & 1] = b.sum;
    b.sum = b.count = 0;
    b.round++;
    return true;
}
inline void arrive(int id, int count, int value) {
    Barrier &b = block->barriers[id];
    b.sum += value;
    b.count++;
    complete(b, count);
}
inline int barrier(int id, int count, int value) {
    Barrier &b = block->barriers[id];
    int round = b.round;
    for (arrive(id, count, value); b.round == round && !complete(b, count);) yield();
    return b.result[round & 1];
}
inline const unsigned long long *meet(unsigned mask, unsigned long long value) {
    mask &= resident();
    Meeting &m = block->meetings[{self->linear / 32, mask}];
    unsigned round = m.round;
    m.values[round & 1][lane()] = value;
    if (++m.count == __builtin_popcount(mask)) m.count = 0, m.round++;
    while (m.round == round) yield();
    return m.values[round & 1];
}
template <class T> unsigned long long pack(T v) {
    unsigned long long bits = 0;
    memcpy(&bits, &v, sizeof v);
    return bits;
}
template <class T> T unpack(unsigned long long bits) {
    T v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
template <class... A, size_t... I> void call(void (*kernel)(A...), void **a, std::index_sequence<I...>) {
    kernel(*(std::remove_reference_t<A> *)a[I]...);
}
template <class... A> void launch(void (*kernel)(A...), dim3 grid, dim3 size, int shared, void **arguments) {
    auto run = [=](uint3 index) {
        Block mine;
        block = &mine;
        mine.index = index, mine.grid = grid, mine.size = size;
        mine.dynamic.resize(shared + 16);
        mine.fibers.resize(size.x * size.y * size.z);
        mine.alive = (int)mine.fibers.size();
        static thread_local void (*entry)(A...);
        static thread_local void **given;
        entry = kernel, given = arguments;
        int n = 0;
        for (unsigned z = 0; z < size.z; z++)
            for (unsigned y = 0; y < size.y; y++)
                for (unsigned x = 0; x < size.x; x++, n++) {
                    Fiber &f = mine.fibers[n];
                    f.thread = {x, y, z};
                    f.linear = n;
                    f.stack.reset(new char[1 << 16]);
                    getcontext(&f.context);
                    f.context.uc_stack = {f.stack.get(), 0, 1 << 16};
                    f.context.uc_link = &mine.scheduler;
                    makecontext(&f.context, (void (*)())+[] {
                        call(entry, given, std::index_sequence_for<A...>{});
                        self->done = true;
                        block->alive--;
                    }, 0);
                }
        while (mine.alive)
            for (auto &f : mine.fibers)
                if (!f.done) self = &f, swapcontext(&mine.scheduler, &f.context);
    };
    std::vector<std::thread> blocks;
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) blocks.emplace_back(run, uint3{x, y, z});
    for (auto &b : blocks) b.join();
}
}  // namespace host

#define threadIdx (host::self->thread)
#define blockIdx (host::block->index)
#define blockDim (host::block->size)
#define gridDim (host::block->grid)
#define warpSize 32

inline void __syncthreads() { host::barrier(0, 0, 0); }
inline int __syncthreads_count(int p) { return host::barrier(0, 0, p != 0); }
inline int __syncthreads_or(int p) { return host::barrier(0, 0, p != 0) != 0; }
inline int __syncthreads_and(int p) { return host::barrier(0, 0, p == 0) == 0; }
inline void __syncwarp(unsigned mask = ~0u) { host::meet(mask, 0); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST), host::yield(); }
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }
inline void __nanosleep(unsigned) { host::yield(); }
inline void __trap() { abort(); }
inline unsigned __activemask() { return host::resident(); }

template <class T> T __shfl_sync(unsigned mask, T v, int src, int width = 32) {
    auto *all = host::meet(mask, host::pack(v));
    return host::unpack<T>(all[host::lane() / width * width + (src & (width - 1))]);
}
template <class T> T __shfl_up_sync(unsigned mask, T v, unsigned d, int width = 32) {
    auto *all = host::meet(mask, host::pack(v));
    int lane = host::lane();
    return host::unpack<T>(all[lane % width >= (int)d ? lane - (int)d : lane]);
}
template <class T> T __shfl_down_sync(unsigned mask, T v, unsigned d, int width = 32) {
    auto *all = host::meet(mask, host::pack(v));
    int lane = host::lane();
    return host::unpack<T>(all[lane % width + (int)d < width ? lane + (int)d : lane]);
}
template <class T> T __shfl_xor_sync(unsigned mask, T v, int x, int width = 32) {
    auto *all = host::meet(mask, host::pack(v));
    int lane = host::lane(), source = lane ^ x;
    return host::unpack<T>(all[source / width > lane / width ? lane : source]);
}
inline unsigned __ballot_sync(unsigned mask, int p) {
    auto *all = host::meet(mask, p != 0);
    unsigned bits = 0;
    mask &= host::resident();
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1 && all[i]) bits |= 1u << i;
    return bits;
}
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, p) == (mask & host::resident()); }
template <class T> unsigned __match_any_sync(unsigned mask, T v) {
    auto *all = host::meet(mask, host::pack(v));
    unsigned bits = 0;
    mask &= host::resident();
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1 && all[i] == host::pack(v)) bits |= 1u << i;
    return bits;
}
template <class T> unsigned __match_all_sync(unsigned mask, T v, int *pred) {
    unsigned same = __match_any_sync(mask, v);
    *pred = __all_sync(mask, same == (mask & host::resident()));
    return *pred ? mask & host::resident() : 0;
}
template <class T, class F> T warp_fold(unsigned mask, T v, F f) {
    auto *all = host::meet(mask, host::pack(v));
    mask &= host::resident();
    T total = v;
    bool first = true;
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1) total = first ? host::unpack<T>(all[i]) : f(total, host::unpack<T>(all[i])), first = false;
    return total;
}
#define FOLD(name, expression) \
    template <class T> T name(unsigned m, T v) { return warp_fold(m, v, [](T a, T b) { return (T)(expression); }); }
FOLD(__reduce_add_sync, a + b)
FOLD(__reduce_min_sync, a < b ? a : b)
FOLD(__reduce_max_sync, a > b ? a : b)
FOLD(__reduce_and_sync, a & b)
FOLD(__reduce_or_sync, a | b)
FOLD(__reduce_xor_sync, a ^ b)
#undef FOLD

template <class T, class F> T atomic_update(T *p, F f) {
    host::yield();
    T old, made;
    __atomic_load(p, &old, __ATOMIC_SEQ_CST);
    do made = f(old);
    while (!__atomic_compare_exchange(p, &old, &made, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}
#define ATOMIC(name, expression) \
    template <class T> T name(T *p, std::common_type_t<T> b) { return atomic_update(p, [=](T a) { return (T)(expression); }); }
ATOMIC(atomicAdd, a + b)
ATOMIC(atomicAdd_system, a + b)
ATOMIC(atomicAdd_block, a + b)
ATOMIC(atomicSub, a - b)
ATOMIC(atomicMin, a < b ? a : b)
ATOMIC(atomicMax, a > b ? a : b)
ATOMIC(atomicAnd, a & b)
ATOMIC(atomicOr, a | b)
ATOMIC(atomicXor, a ^ b)
ATOMIC(atomicExch, b)
ATOMIC(atomicInc, a >= b ? 0 : a + 1)
ATOMIC(atomicDec, a == 0 || a > b ? b : a - 1)
#undef ATOMIC
template <class T> T atomicCAS(T *p, std::common_type_t<T> expected, std::common_type_t<T> v) {
    host::yield();
    __atomic_compare_exchange(p, &expected, &v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline unsigned __brev(unsigned v) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i);
    return r;
}
inline unsigned long long __brevll(unsigned long long v) {
    return (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
    unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) r |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
    return (unsigned)((((unsigned long long)hi << 32 | lo) << (s & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (s & 31));
}
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) {
    return s >= 32 ? lo : __funnelshift_l(lo, hi, s);
}
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) {
    return s >= 32 ? hi : __funnelshift_r(lo, hi, s);
}
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline unsigned __sad(int a, int b, unsigned c) { return (unsigned)llabs((long long)a - b) + c; }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 4; i++) c += (signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
    return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 4; i++) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
    return c;
}
inline int __dp2a_lo(int a, int b, int c) { return c + (short)a * (signed char)b + (a >> 16) * (signed char)(b >> 8); }
inline int __dp2a_hi(int a, int b, int c) {
    return c + (short)a * (signed char)(b >> 16) + (a >> 16) * (signed char)(b >> 24);
}
template <class T> T __ldg(const T *p) { return *p; }
template <class T> T __ldcg(const T *p) { return *p; }
template <class T> T __ldcs(const T *p) { return *p; }
template <class T> void __stcs(T *p, T v) { *p = v; }

#define BITS(name, from, to) \
    inline to name(from v) { return host::unpack<to>(host::pack(v)); }
BITS(__float_as_int, float, int)
BITS(__float_as_uint, float, unsigned)
BITS(__int_as_float, int, float)
BITS(__uint_as_float, unsigned, float)
BITS(__double_as_longlong, double, long long)
BITS(__longlong_as_double, long long, double)
#undef BITS
#define ROUNDED(T, f, fma_, suffix, mode) \
    inline T __##f##add_##suffix(T a, T b) { return rounded<T>(mode, a, b, [](T x, T y) { return x + y; }); } \
    inline T __##f##sub_##suffix(T a, T b) { return rounded<T>(mode, a, b, [](T x, T y) { return x - y; }); } \
    inline T __##f##mul_##suffix(T a, T b) { return rounded<T>(mode, a, b, [](T x, T y) { return x * y; }); } \
    inline T __##f##div_##suffix(T a, T b) { return rounded<T>(mode, a, b, [](T x, T y) { return x / y; }); } \
    inline T __##f##rcp_##suffix(T a) { return rounded<T>(mode, 1, a, [](T x, T y) { return x / y; }); } \
    inline T __##f##sqrt_##suffix(T a) { return rounded<T>(mode, a, 0, [](T x, T) { return (T)std::sqrt(x); }); } \
    inline T fma_##suffix(T a, T b, T c) { return rounded<T>(mode, a, b, [c](T x, T y) { return (T)std::fma(x, y, c); }); }
template <class T, class F> T rounded(int mode, T a, T b, F f) {
    volatile T x = a, y = b, result;
    fesetround(mode);
    result = f(x, y);
    fesetround(FE_TONEAREST);
    return result;
}
#define ROUNDINGS(T, f, fma_) \
    ROUNDED(T, f, fma_, rn, FE_TONEAREST) \
    ROUNDED(T, f, fma_, rz, FE_TOWARDZERO) \
    ROUNDED(T, f, fma_, rd, FE_DOWNWARD) \
    ROUNDED(T, f, fma_, ru, FE_UPWARD)
ROUNDINGS(float, f, __fmaf_)
ROUNDINGS(double, d, __fma_)
inline float __saturatef(float v) { return v > 1 ? 1 : v > 0 ? v : 0; }
inline float __expf(float v) { return expf(v); }
inline float __logf(float v) { return logf(v); }
inline float __log2f(float v) { return log2f(v); }
inline float __log10f(float v) { return log10f(v); }
inline float __exp10f(float v) { return powf(10, v); }
inline float __powf(float a, float b) { return powf(a, b); }
inline float __sinf(float v) { return sinf(v); }
inline float __cosf(float v) { return cosf(v); }
inline float __tanf(float v) { return tanf(v); }
inline void __sincosf(float v, float *s, float *c) { *s = sinf(v), *c = cosf(v); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frsqrt_rn(float v) { return (float)(1 / sqrt((double)v)); }
inline float rsqrtf(float v) { return 1 / sqrtf(v); }
inline double rsqrt(double v) { return 1 / sqrt(v); }
template <class T> T min(T a, std::common_type_t<T> b) { return b < a ? b : a; }
template <class T> T max(T a, std::common_type_t<T> b) { return a < b ? b : a; }

inline __half __hfma(__half a, __half b, __half c) {
    return __double2half(fma((double)__half2float(a), (double)__half2float(b), (double)__half2float(c)));
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
inline void sincospi(double v, double *s, double *c) { *s = sin(v * M_PI), *c = cos(v * M_PI); }
inline float sinpif(float v) { return (float)sin(v * M_PI); }
inline __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { return __hmax2(__hfma2(a, b, c), __float2half2_rn(0)); }
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    auto one = [](__nv_bfloat16 x, __nv_bfloat16 y, __nv_bfloat16 z) {
        return __double2bfloat16(fma((double)__bfloat162float(x), (double)__bfloat162float(y), (double)__bfloat162float(z)));
    };
    return {one(a.x, b.x, c.x), one(a.y, b.y, c.y)};
}
