// Kernels that do wrong: each must end in a fault that says what, where and who.
#ifdef __CUDA_HOST_RUN__
#error "these are not for the host"
#endif

// The classic: <= instead of <.
extern "C" __global__ void off_by_one(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = in[i] * 2;
}

extern "C" __global__ void read_before_start(const float *in, float *out) {
    int i = threadIdx.x;
    out[i] = in[i - 1];
}

extern "C" __global__ void shared_overrun(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * 2];
}

// Half of the block skips a barrier that the other half waits at, and waits at another.
extern "C" __global__ void lost_barrier(int *out) {
    __shared__ int s;
    if (threadIdx.x < 32) {
        s = 1;
        asm volatile("barrier.sync 1;" ::: "memory");
    } else {
        asm volatile("barrier.sync 2;" ::: "memory");
    }
    out[threadIdx.x] = s;
}

// A barrier with a count that never comes together: one warp has returned.
extern "C" __global__ void departed_warp(int *out) {
    if (threadIdx.x >= 32) return;
    asm volatile("bar.sync 0, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void endless(int *out) {
    volatile int *flag = out;
    while (flag[0] == 0) {}
    out[1] = 1;
}

// Two threads, two locks, opposite order.
extern "C" __global__ void dead_lock(int *locks) {
    int first = threadIdx.x / 32, second = 1 - first;
    if (threadIdx.x % 32) return;
    while (atomicCAS(&locks[first], 0, 1)) {}
    while (((volatile int *)locks)[second] == 0) {}
    while (atomicCAS(&locks[second], 0, 1)) {}
    locks[first] = locks[second] = 0;
}

extern "C" __global__ void misaligned(const char *in, double *out) {
    out[threadIdx.x] = *(const double *)(in + threadIdx.x * 8 + 4);
}

extern "C" __global__ void misaligned_vector(const float *in, float4 *out) { out[threadIdx.x] = *(const float4 *)(in + threadIdx.x + 1); }

extern "C" __global__ void null_pointer(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

extern "C" __global__ void wild_pointer(int *out) {
    int *p = (int *)0x123456789abcull;
    p[threadIdx.x] = 1;
    out[0] = 1;
}

// The mask names lanes that never come, which is no fault: tests/unit/native/test_partial_warps.py.
extern "C" __global__ void wrong_mask(int *out) {
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_sync(0xffffffff, v, 20);
    out[threadIdx.x] = v;
}

__device__ __noinline__ int bottomless(int n, int *p) {
    int frame[256];
    for (int i = 0; i < 8; i++) frame[i] = p[(n + i) & 7];
    return bottomless(n + 1, frame) + frame[n & 255];
}
extern "C" __global__ void endless_recursion(int *out) { out[threadIdx.x] = bottomless(0, out); }

extern "C" __global__ void assert_fails(const int *in, int *out) {
    assert(in[threadIdx.x] < 50);
    out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void trapped(const int *in, int *out) {
    if (in[threadIdx.x] < 0) __trap();
    out[threadIdx.x] = in[threadIdx.x];
}

// A buffer handed over as read-only data: its neighbour is not the kernel's.
extern "C" __global__ void atomic_outside(int *bins, const int *in) { atomicAdd(&bins[in[threadIdx.x]], 1); }

// Writing to what const memory holds through a generic pointer.
__constant__ int fixed[4] = {1, 2, 3, 4};
extern "C" __global__ void write_constant(int *out) {
    int *p = (int *)fixed;
    asm volatile("st.u32 [%0], %1;" ::"l"(p + threadIdx.x % 4), "r"(5) : "memory");
    out[threadIdx.x] = fixed[0];
}

// A call through a pointer that is no function.
extern "C" __global__ void wild_call(const unsigned long long *target, int *out) {
    int (*f)(int) = (int (*)(int))target[0];
    out[threadIdx.x] = f(threadIdx.x);
}

// Freed twice; used after it was freed.
extern "C" __global__ void double_free(int *out) {
    int *p = (int *)malloc(64);
    p[0] = 5;
    out[threadIdx.x] = p[0];
    free(p);
    free(p);
}
extern "C" __global__ void use_after_free(int *out) {
    volatile int *p = (volatile int *)malloc(64);
    p[3] = 5;
    free((void *)p);
    out[threadIdx.x] = p[3];
}

// The shared array is dynamic, and the launch gave it less than the kernel uses.
extern "C" __global__ void too_little_shared(int *out) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
