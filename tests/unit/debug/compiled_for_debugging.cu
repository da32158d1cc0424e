// nvcc 13.5 -arch=compute_90 -G -ptx: compiled_for_debugging.ptx, without comments
struct Point { int x; float y; short tag[3]; };
struct Node { int key; Point p; Node *next; };
enum Color { RED, GREEN = 5 };
__shared__ int tile[32];
__device__ int total;
__constant__ float scale = 2.5f;
__device__ __forceinline__ int inner(int v) {
  int w = v * 3;
  return w + 1;
}
__device__ __forceinline__ int middle(int v) {
  int m = inner(v) + 2;
  return m;
}
__device__ __noinline__ int outer(int v, Point *q) {
  int arr[4] = {v, v + 1, v + 2, v + 3};
  q->x += arr[v & 3];
  return middle(q->x);
}
extern "C" __global__ void k(int *o, int n) {
  int t = threadIdx.x;
  Point p;
  p.x = t; p.y = 1.5f * t; p.tag[0] = 7; p.tag[1] = t; p.tag[2] = -1;
  Node a; a.key = 3; a.p = p; a.next = &a;
  Color c = GREEN;
  bool flag = t > 3;
  unsigned char ch = 'a' + t;
  double d = 0.5 * t;
  long long big = 1ll << 40;
  tile[t] = t * t;
  __syncthreads();
  int r = outer(t, &p);
  if (flag) r += tile[31 - t];
  for (int i = 0; i < n; i++) {
    int sq = i * i;
    r += sq;
  }
  o[t] = r + (int)c + ch + (int)d + (int)big + a.next->key;
}
