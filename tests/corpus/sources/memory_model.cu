// Memory: every cache operator, order, scope and space; atomics by hand; fences; asynchronous copies of Ampere.
typedef unsigned long long u64;
typedef unsigned u32;
__constant__ int table[16] = {1, 2, 3};

extern "C" __global__ void loads_and_stores(const int *in, int *out) {
    __shared__ int s[32];
    u32 sa = (u32)__cvta_generic_to_shared(s), a;
    int v, sum = 0;
#define LOAD(what) asm volatile("ld." what ".s32 %0, [%1];" : "=r"(v) : "l"(in + threadIdx.x)); sum += v;
    LOAD("global") LOAD("global.ca") LOAD("global.cg") LOAD("global.cs") LOAD("global.lu") LOAD("global.cv") LOAD("global.nc")
    LOAD("volatile.global") LOAD("relaxed.gpu.global") LOAD("acquire.sys.global") LOAD("weak.global") LOAD("relaxed.cta")
    LOAD("global.nc.L1::no_allocate") LOAD("global.L1::evict_last") LOAD("global.nc.L1::no_allocate.L2::128B") LOAD("mmio.relaxed.sys.global")
#define STORE(what) asm volatile("st." what ".s32 [%0], %1;" ::"l"(out + threadIdx.x), "r"(sum) : "memory");
    STORE("global") STORE("global.wb") STORE("global.cg") STORE("global.cs") STORE("global.wt") STORE("volatile.global")
    STORE("relaxed.gpu.global") STORE("release.cta") STORE("weak") STORE("global.L1::no_allocate") STORE("mmio.relaxed.sys.global")
    asm volatile("st.shared.u32 [%0+4], %1;\n\tld.shared.v2.u32 {%1, %2}, [%0];" : "+r"(sa), "+r"(sum), "=r"(a)::"memory");
    asm volatile("prefetch.global.L2 [%0];\n\tprefetch.global.L1 [%0];\n\tprefetchu.L1 [%0];" ::"l"(in));
    asm volatile("prefetch.global.L2::evict_last [%0];\n\tapplypriority.global.L2::evict_normal [%0], 128;\n\tdiscard.global.L2 [%0], 128;" ::"l"(out));
    u64 policy;
    asm("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.s32 %0, [%1], %2;" : "=r"(v) : "l"(in), "l"(policy));
    asm("createpolicy.range.L2::evict_last.b64 %0, [%1], 4096, 8192;" : "=l"(policy) : "l"(in));
    out[threadIdx.x + 32] = sum + v + a + table[threadIdx.x & 15];
}

extern "C" __global__ void atomics(u32 *g, u64 *w, float *f, double *d, int *out) {
    __shared__ u32 s[4];
    u32 sa = (u32)__cvta_generic_to_shared(s), r;
    u64 x;
#define ATOM(what) asm volatile("atom." what ".u32 %0, [%1], %2;" : "=r"(r) : "l"(g), "r"(3) : "memory");
    ATOM("global.add") ATOM("relaxed.gpu.global.min") ATOM("acquire.cta.global.max") ATOM("release.sys.global.inc") ATOM("acq_rel.gpu.global.dec") ATOM("add")
#define ATOMB(what) asm volatile("atom." what ".b32 %0, [%1], %2;" : "=r"(r) : "l"(g), "r"(3) : "memory");
    ATOMB("global.and") ATOMB("global.or") ATOMB("global.xor") ATOMB("global.exch") ATOMB("relaxed.sys.global.exch")
    asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "r"(sa), "r"(1), "r"(2) : "memory");
    asm volatile("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;" : "=l"(x) : "l"(w), "l"(1ull), "l"(2ull) : "memory");
    asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;" : "=h"(*(unsigned short *)&r) : "l"(g), "h"((short)1), "h"((short)2) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;\n\tred.relaxed.gpu.global.add.f64 [%2], %3;" ::"l"(f), "f"(1.5f), "l"(d), "d"(2.5) : "memory");
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(g), "r"(0x3c003c00) : "memory");
    asm volatile("red.release.sys.global.add.u64 [%0], %1;\n\tred.shared.max.s32 [%2], %3;" ::"l"(w), "l"(5ull), "r"(sa), "r"(-5) : "memory");
#if __CUDA_ARCH__ >= 900
    asm volatile("atom.global.add.noftz.bf16 %0, [%1], %2;" : "=h"(*(unsigned short *)&r) : "l"(g), "h"((short)0x3f80) : "memory");
    asm volatile("red.global.v4.f32.add [%0], {%1, %1, %1, %1};" ::"l"(f), "f"(1.0f) : "memory");
    asm volatile("red.global.v4.bf16x2.max.noftz [%0], {%1, %1, %1, %1};" ::"l"(g), "r"(0x3f803f80) : "memory");
    u64 y, z = 7;
    asm volatile("{\n\t.reg .b128 a, b, c;\n\tmov.b128 b, {%2, %3};\n\tmov.b128 c, {%3, %2};\n\tatom.global.cas.b128 a, [%4], b, c;\n\tmov.b128 {%0, %1}, a;\n\t}" : "=l"(x), "=l"(y) : "l"(x), "l"(z), "l"(w) : "memory");
#endif
    out[threadIdx.x] = r + (int)x;
}

extern "C" __global__ void fences(volatile int *flag, int *out) {
    asm volatile("fence.acq_rel.cta;\n\tfence.acq_rel.gpu;\n\tfence.sc.sys;\n\tmembar.gl;\n\tmembar.cta;\n\tmembar.sys;" ::: "memory");
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.acq_rel.cluster;\n\tfence.proxy.alias;\n\tfence.proxy.async;\n\tfence.proxy.async.global;\n\tfence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
#endif
    __threadfence_block(), __threadfence(), __threadfence_system();
    asm volatile("barrier.sync.aligned 3, 64;\n\tbarrier.arrive 4, 128;\n\tbar.warp.sync 0xffffffff;" ::: "memory");
    int r;
    asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.s32 p, %1, 0;\n\tbarrier.red.popc.aligned.u32 %0, 5, p;\n\tbar.red.or.pred q, 6, 32, !p;\n\t@q add.s32 %0, %0, 1;\n\t}" : "=r"(r) : "r"((int)threadIdx.x));
    out[threadIdx.x] = r + *flag;
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void async_copies(const char *in, int *out) {
    __shared__ __align__(16) char s[256];
    __shared__ u64 bar;
    u32 to = (u32)__cvta_generic_to_shared(s), b = (u32)__cvta_generic_to_shared(&bar);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.ca.shared.global.L2::128B [%0+8], [%1], 8;\n\tcp.async.cg.shared.global [%0+16], [%1], 16;" ::"r"(to), "l"(in) : "memory");
    asm volatile("cp.async.cg.shared.global.L2::64B [%0+32], [%1], 16, 8;" ::"r"(to), "l"(in) : "memory");
    asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.s32 p, %2, 0;\n\tcp.async.ca.shared.global [%0+48], [%1], 16, p;\n\t}" ::"r"(to), "l"(in), "r"((int)threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 1;\n\tcp.async.wait_all;" ::: "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 32;\n\tcp.async.mbarrier.arrive.shared.b64 [%0];\n\tcp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(b) : "memory");
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(b) : "memory");
    int done;
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\tselp.s32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(b), "l"(state) : "memory");
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];\n\tmbarrier.pending_count.b64 %2, %0;" : "=l"(state), "+r"(b), "=r"(done)::"memory");
    out[threadIdx.x] = done + s[threadIdx.x];
}
#endif
