// Threads that wait for each other: locks, flags, barriers, between lanes, warps and blocks.

// A spin lock taken by every thread of every block around a plain increment.
extern "C" __global__ void lock_blocks(int *lock, volatile int *count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *count = *count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// The shape that hangs where lanes of a warp don't advance independently: the winner must leave the loop to unlock.
extern "C" __global__ void lock_lanes(int *lock, volatile int *log) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    int at = log[0];
    log[0] = at + 1;
    log[1 + at] = 1;
    __threadfence();
    atomicExch(lock, 0);
}

// A ticket lock: first come, first served, within a block's shared memory.
extern "C" __global__ void ticket_lock(int *out) {
    __shared__ int next, serving;
    __shared__ volatile int value;
    if (threadIdx.x == 0) next = 0, serving = 0, value = 1;
    __syncthreads();
    if (threadIdx.x % 8 == 0) {
        int mine = atomicAdd(&next, 1);
        while (atomicAdd(&serving, 0) != mine) {}
        value = value * 3 + 1;
        __threadfence_block();
        atomicAdd(&serving, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = value;
}

// One warp produces, another consumes, through a ring of four slots with flags in shared memory.
extern "C" __global__ void ring(const int *in, int *out, int n) {
    __shared__ volatile int slots[4][32];
    __shared__ volatile int filled, taken;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) filled = taken = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = 0; i < n; i++) {
            while (i - taken >= 4) __nanosleep(10);
            __syncwarp();
            slots[i % 4][lane] = in[i * 32 + lane];
            __threadfence_block();
            __syncwarp();
            if (lane == 0) filled = i + 1;
        }
    } else {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            while (filled <= i) __nanosleep(10);
            __threadfence_block();
            __syncwarp();
            sum += slots[i % 4][31 - lane] * (i + 1);
            __syncwarp();
            if (lane == 0) taken = i + 1;
        }
        out[lane] = sum;
    }
}

// Blocks of even number produce, those of odd number consume: flags in global memory, odd blocks may start first.
extern "C" __global__ void block_pairs(const int *in, int *mail, int *flag, int *out) {
    int t = threadIdx.x, pair = blockIdx.x / 2, n = blockDim.x;
    if (blockIdx.x % 2 == 1) {
        mail[pair * n + t] = in[pair * n + t] * 2 + 1;
        __threadfence();
        __syncthreads();
        if (t == 0) atomicExch(&flag[pair], 1);
    } else {
        if (t == 0)
            while (atomicAdd(&flag[pair], 0) == 0) __nanosleep(50);
        __syncthreads();
        __threadfence();
        out[pair * n + t] = mail[pair * n + n - 1 - t] - 1;
    }
}

// A barrier for the whole grid made of atomics: every block must be resident and advance.
__device__ void grid_barrier(unsigned *arrived, unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < goal) __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void grid_steps(int *a, int *b, unsigned *arrived, int n, int steps) {
    for (int s = 0; s < steps; s++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            b[i] = ((volatile int *)a)[(i + n - 1) % n] + ((volatile int *)a)[(i + 1) % n];
        grid_barrier(arrived, gridDim.x * (s + 1));
        int *t = a;
        a = b;
        b = t;
    }
}

// Barriers that count, and, or; and one met by warps that took different branches.
extern "C" __global__ void voting_barriers(const int *in, int *out) {
    int v = in[threadIdx.x];
    int odd = __syncthreads_count(v & 1);
    int any = __syncthreads_or(v == 7);
    int all = __syncthreads_and(v < 100);
    if (threadIdx.x / 32 % 2)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = odd * 4 + any * 2 + all;
}

#ifdef __CUDA_HOST_RUN__
void arrive(int id, int count) { host::arrive(id, count, 0); }
void meet(int id, int count) { host::barrier(id, count, 0); }
#else
__device__ void arrive(int id, int count) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory"); }
__device__ void meet(int id, int count) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }
#endif

// Named barriers: two halves of a block take turns with bar.sync and bar.arrive on ids 1 and 2.
extern "C" __global__ void named_barriers(int *out) {
    __shared__ int cell[64];
    int t = threadIdx.x, lane = t % 64;
    if (t < 64) {
        for (int i = 0; i < 5; i++) {
            cell[lane] = i * 100 + lane;
            arrive(1, 128);
            meet(2, 128);
        }
    } else {
        int sum = 0;
        for (int i = 0; i < 5; i++) {
            meet(1, 128);
            sum += cell[63 - lane];
            arrive(2, 128);
        }
        out[lane] = sum;
    }
}

// Threads leave one after the other; a barrier counts only those that stayed (warps that are gone don't hold it up).
extern "C" __global__ void early_leavers(int *out) {
    __shared__ int left;
    int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) left = 0;
    __syncthreads();
    for (int round = 3; round > 0; round--) {
        if (warp == round) return;
        atomicAdd(&left, 1);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = left;
}

// Dekker-free handshake of two lanes of one warp: each waits for what the other writes.
extern "C" __global__ void lane_handshake(volatile int *cells) {
    if (threadIdx.x == 0) {
        cells[0] = 1;
        while (cells[1] == 0) __threadfence();
        cells[2] = cells[1] * 10;
    } else if (threadIdx.x == 1) {
        while (cells[0] == 0) __threadfence();
        cells[1] = 7;
    }
}
