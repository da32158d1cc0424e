// C++ in kernels: new and delete, malloc, virtual functions, function pointers, recursion, local arrays, lambdas.
// nvcc: --extended-lambda
// > shapes: 64 as on the host
// > lists: 64 as on the host
// > recursion: 64 as on the host
// > lambda: 64 as on the host
#include "check.h"

struct Shape {
    __host__ __device__ virtual ~Shape() {}
    __host__ __device__ virtual long area() const = 0;
};

struct Square : Shape {
    long side;
    __host__ __device__ Square(long side) : side(side) {}
    __host__ __device__ long area() const override { return side * side; }
};

struct Box : Shape {
    long width, height;
    __host__ __device__ Box(long width, long height) : width(width), height(height) {}
    __host__ __device__ long area() const override { return width * height; }
};

__host__ __device__ long shape_area(int i)
{
    Shape *shape = i % 3 ? (Shape *)new Square(i) : new Box(i, i + 7);
    long area = shape->area();
    delete shape;
    return area;
}

struct Cell {
    long value;
    Cell *next;
};

__host__ __device__ long list_sum(int i)
{
    Cell *head = nullptr;
    for (int k = 0; k <= i % 9; k++) {
        Cell *cell = (Cell *)malloc(sizeof(Cell));
        *cell = {k * i, head};
        head = cell;
    }
    long sum = 0;
    while (head) {
        Cell *next = head->next;
        sum = sum * 3 + head->value;
        free(head);
        head = next;
    }
    return sum;
}

__host__ __device__ long ackermann(long m, long n)
{
    return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__host__ __device__ long recursive(int i) { return ackermann(2, i % 5); }

typedef long (*Function)(int);

__device__ Function functions[] = {shape_area, list_sum, recursive};

__global__ void apply(int which, long *out) { out[threadIdx.x] = functions[which](threadIdx.x); }

template <typename F> __global__ void apply_lambda(F f, long *out) { out[threadIdx.x] = f(threadIdx.x); }

int main()
{
    const Function host[] = {shape_area, list_sum, recursive};
    const char *names[] = {"shapes", "lists", "recursion"};
    long *out, got[64], wanted[64];
    CALL(cudaMalloc(&out, sizeof got));
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    for (int which = 0; which < 3; which++) {
        apply<<<1, 64>>>(which, out);
        LAUNCHED();
        CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 64; i++)
            wanted[i] = host[which](i);
        same(names[which], got, wanted, 64);
    }
    long factor = 5, offset = -3;
    auto lambda = [=] __host__ __device__(int i) { return i * factor + offset; };
    apply_lambda<<<1, 64>>>(lambda, out);
    LAUNCHED();
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        wanted[i] = lambda(i);
    same("lambda", got, wanted, 64);
    return 0;
}
