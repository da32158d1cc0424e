// nvcc 13.0 -arch=compute_80 -G -ptx: debugged_recursion.ptx, without comments
struct Base { int id; };
struct Derived : Base { int extra; };
__device__ __noinline__ int factorial(int n) {
  if (n <= 1) return 1;
  return n * factorial(n - 1);
}
extern "C" __global__ void k(int *out, int n) {
  Derived d;
  d.id = 7; d.extra = 8;
  int &place = out[threadIdx.x];
  place = d.id + d.extra;
  place += factorial(n);
}
