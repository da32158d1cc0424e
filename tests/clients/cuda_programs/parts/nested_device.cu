// A kernel that another file's kernels launch.
__global__ void other_kernel(int *x, int factor) { x[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }
