// C++ classes in managed memory: operator new, strings and vectors that host and device share, advice and prefetching.
// > HELLO, DEVICE and back
// > elements: 1000 as on the host
// > rows of a tree: 63 nodes, sum 2016
#include "check.h"
#include <new>

struct Managed {
    void *operator new(size_t size)
    {
        void *made;
        CALL(cudaMallocManaged(&made, size));
        CALL(cudaDeviceSynchronize());
        return made;
    }
    void operator delete(void *made) { CALL(cudaFree(made)); }
};

class String : public Managed {
    int length = 0;
    char *data = nullptr;

  public:
    explicit String(const char *text)
    {
        length = (int)strlen(text);
        CALL(cudaMallocManaged(&data, length + 1));
        memcpy(data, text, length + 1);
    }
    String(const String &other) : String(other.data) {}      // passed to a kernel by value: a deep copy
    ~String() { CALL(cudaFree(data)); }
    __host__ __device__ int size() const { return length; }
    __host__ __device__ char &operator[](int i) { return data[i]; }
    const char *c_str() const { return data; }
};

struct Node : Managed {
    int value;
    Node *children[2];
    __host__ Node(int depth, int &next) : value(next++)
    {
        for (Node *&child : children)
            child = depth ? new Node(depth - 1, next) : nullptr;
    }
    ~Node() { delete children[0], delete children[1]; }
    __device__ int sum() const
    {
        int found = value;
        for (const Node *child : children)
            found += child ? child->sum() : 0;
        return found;
    }
};

__global__ void upper(String &text)
{
    int i = (int)threadIdx.x;
    if (i < text.size() && text[i] >= 'a' && text[i] <= 'z' && i < 13)
        text[i] -= 'a' - 'A';
}

__global__ void by_value(String text, int *length)
{
    if (!threadIdx.x)
        *length = text.size();
}

__global__ void squares(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i * i - x[i];
}

__global__ void total(const Node *root, int *result) { *result = root->sum(); }

int main()
{
    int *numbers, wanted[1000], *result;
    String *text = new String("hello, device and back");
    upper<<<1, 32>>>(*text);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    printf("%s\n", text->c_str());
    CALL(cudaMallocManaged(&numbers, sizeof wanted));
    CALL(cudaMallocManaged(&result, sizeof *result));
    by_value<<<1, 1>>>(*text, result);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    EXPECT(*result == 22);
    delete text;

    for (int i = 0; i < 1000; i++)
        numbers[i] = i, wanted[i] = i * i - i;
#if CUDART_VERSION >= 13000
    cudaMemLocation there = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
#else
    int there = 0, host = cudaCpuDeviceId;
#endif
    CALL(cudaMemAdvise(numbers, sizeof wanted, cudaMemAdviseSetPreferredLocation, there));
#if CUDART_VERSION >= 13000
    CALL(cudaMemPrefetchAsync(numbers, sizeof wanted, there, 0));
#else
    CALL(cudaMemPrefetchAsync(numbers, sizeof wanted, there));
#endif
    squares<<<4, 256>>>(numbers, 1000);
    LAUNCHED();
#if CUDART_VERSION >= 13000
    CALL(cudaMemPrefetchAsync(numbers, sizeof wanted, host, 0));
#else
    CALL(cudaMemPrefetchAsync(numbers, sizeof wanted, host));
#endif
    CALL(cudaDeviceSynchronize());
    same("elements", numbers, wanted, 1000);

    int next = 1;
    Node *root = new Node(5, next);
    total<<<1, 1>>>(root, result);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    printf("rows of a tree: %d nodes, sum %d\n", next - 1, *result);
    delete root;
    return 0;
}
