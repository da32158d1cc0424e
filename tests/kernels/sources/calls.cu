// Calls: recursion, function pointers, virtual functions, structures by value and as results.

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void fibonacci(int *out) { out[threadIdx.x] = fib(threadIdx.x % 12); }

__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void ackermanns(int *out) { out[threadIdx.x] = ackermann(threadIdx.x / 8, threadIdx.x % 8); }

// Mutual recursion through a forward declaration.
__device__ int is_odd(unsigned n);
__device__ __noinline__ int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
__device__ __noinline__ int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }
extern "C" __global__ void parity(int *out) { out[threadIdx.x] = is_even(threadIdx.x) * 2 + is_odd(threadIdx.x * 3); }

// The towers of Hanoi: the moves themselves, by a recursion that appends.
__device__ __noinline__ void hanoi(int n, int from, int to, unsigned char *moves, int *count) {
    if (n == 0) return;
    hanoi(n - 1, from, 3 - from - to, moves, count);
    moves[(*count)++] = from * 3 + to;
    hanoi(n - 1, 3 - from - to, to, moves, count);
}
extern "C" __global__ void towers(unsigned char *moves, int discs) {
    int count = 0;
    hanoi(discs, 0, 2, moves, &count);
}

// A table of functions in global memory, chosen by data: lanes of a warp call different ones.
typedef int (*Binary)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int divide(int a, int b) { return b ? a / b : -1; }
__device__ Binary table[4] = {add, subtract, multiply, divide};
extern "C" __global__ void function_table(const int *which, const int *a, const int *b, int *out) {
    int i = threadIdx.x;
    out[i] = table[which[i]](a[i], b[i]);
}

// Objects made in local memory, called through their base.
struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
struct Circle : Shape {
    float r;
    __device__ Circle(float r) : r(r) {}
    __device__ float area() const override { return 3 * r * r; }
};
struct Rectangle : Shape {
    float a, b;
    __device__ Rectangle(float a, float b) : a(a), b(b) {}
    __device__ float area() const override { return a * b; }
    __device__ int corners() const override { return 4; }
};
struct Square : Rectangle {
    __device__ Square(float a) : Rectangle(a, a) {}
    __device__ int corners() const override { return Rectangle::corners() * 10; }
};
extern "C" __global__ void virtual_shapes(const int *kind, float *area, int *corners) {
    int i = threadIdx.x;
    Circle circle(i);
    Rectangle rectangle(i, 2);
    Square square(i);
    Shape *shapes[3] = {&circle, &rectangle, &square};
    Shape *s = shapes[kind[i]];
    area[i] = s->area();
    corners[i] = s->corners();
}

// Structures by value: as a kernel's parameter, as arguments and results of functions.
struct Affine {
    float m[2][2];
    double shift[2];
    char tag;
    short weight;
};
struct Point {
    double x, y;
};
__device__ __noinline__ Point apply(Affine f, Point p) {
    return {f.m[0][0] * p.x + f.m[0][1] * p.y + f.shift[0], f.m[1][0] * p.x + f.m[1][1] * p.y + f.shift[1]};
}
__device__ __noinline__ Affine squared(Affine f) {
    Affine g = f;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) g.m[i][j] = f.m[i][0] * f.m[0][j] + f.m[i][1] * f.m[1][j];
    Point s = apply(f, {f.shift[0], f.shift[1]});
    g.shift[0] = s.x, g.shift[1] = s.y;
    return g;
}
extern "C" __global__ void struct_parameters(Affine f, Point *points, int twice, int *out) {
    int i = threadIdx.x;
    Point p = points[i];
    points[i] = apply(twice ? squared(f) : f, p);
    out[i] = f.tag * 1000 + f.weight + i;
}

// Arguments of every size, more than registers would hold.
__device__ __noinline__ long long many(char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long long g, float h, double i, bool j, int4 k, short3 l) {
    return a + b * 2ll + c * 3ll + d * 4ll + e * 5ll + f * 6ll + g * 7ll + (long long)h * 8 + (long long)i * 9 + j * 10ll +
           (k.x + k.y + k.z + k.w) * 11ll + (l.x + l.y + l.z) * 12ll;
}
extern "C" __global__ void many_arguments(const int *in, long long *out) {
    int v = in[threadIdx.x];
    out[threadIdx.x] = many(v, v, v, v, v, v, (long long)v << 20, v % 1000, v % 1000, v & 1, make_int4(v % 7, v % 11, v % 13, v % 17), make_short3(v % 19, v % 23, v % 29));
}

// A lambda and a template, expanded by the compiler into one entry.
template <class F> __device__ int fold(const int *a, int n, int start, F f) {
    for (int i = 0; i < n; i++) start = f(start, a[i]);
    return start;
}
extern "C" __global__ void lambdas(const int *in, int *out, int n) {
    int scale = threadIdx.x + 1;
    out[threadIdx.x] = fold(in, n, 0, [=](int a, int b) { return a * scale + b; });
}
