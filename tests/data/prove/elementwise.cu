extern "C" __global__ void saxpy(int n, float a, const float* x, float* y){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) y[i]=a*x[i]+y[i];}
extern "C" __global__ void clampi(int n, const int* x, int* y){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n){int v=x[i]; if(v<0) v=0; else if(v>255) v=255; y[i]=v*3+1;}}
extern "C" __global__ void poly(int n, const float* x, float* y){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n){float v=x[i]; float r=0; for(int k=0;k<4;k++) r=r*v+1.5f; y[i]=r;}}
