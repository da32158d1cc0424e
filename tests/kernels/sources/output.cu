// Calls into the runtime: printf, malloc and free, assert.

extern "C" __global__ void print_formats(const char *name, double x, long long big) {
    printf("hello from %s\n", name);
    printf("%d %5d|%-5d|%05d %u %x %X %#x %o %c %%\n", -42, 42, 42, 42, 4000000000u, 48879, 48879, 48879, 8, 'z');
    printf("%f %.3f %10.2f %e %g\n", x, x, x, x, x);
    printf("%lld %llu %llx %ld %hd\n", big, (unsigned long long)big, big, (long)big, (short)-3);
    printf("%s has %i letters%s", "PTX", 3, "\n");
    printf("no arguments\n");
}

extern "C" __global__ void print_threads(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3 == 0) printf("block %d thread %d square %d\n", blockIdx.x, threadIdx.x, i * i);
}

// Each thread builds a linked list on the heap, walks it, frees it.
struct Node {
    int value;
    Node *next;
};
extern "C" __global__ void heap_lists(int *out, int n) {
    Node *head = nullptr;
    for (int i = 0; i < n; i++) {
        Node *made = (Node *)malloc(sizeof(Node));
        made->value = i * (threadIdx.x + 1);
        made->next = head;
        head = made;
    }
    int sum = 0, place = 0;
    while (head) {
        sum += head->value * ++place;
        Node *next = head->next;
        free(head);
        head = next;
    }
    out[threadIdx.x] = sum;
}

// One thread allocates, all use it, one frees: new[] and delete[] in a block.
extern "C" __global__ void heap_shared(const int *in, int *out) {
    __shared__ int *space;
    if (threadIdx.x == 0) space = new int[blockDim.x];
    __syncthreads();
    space[threadIdx.x] = in[threadIdx.x] + 1;
    __syncthreads();
    out[threadIdx.x] = space[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) delete[] space;
}

extern "C" __global__ void assert_holds(const int *in, int *out) {
    assert(in[threadIdx.x] >= 0 && "inputs are not negative");
    out[threadIdx.x] = in[threadIdx.x] / 2;
}
