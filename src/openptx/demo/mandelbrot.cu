// The Mandelbrot set, a thread for each point: threads of a warp leave the loop at different times.
extern "C" __global__ void mandelbrot(int *steps, int width, int height, float left, float top, float pixel, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float a = left + x * pixel, b = top + y * (2.0f * pixel);  // characters are twice as high as wide
    float re = 0.0f, im = 0.0f;
    int n = 0;
    while (n < limit && re * re + im * im < 4.0f) {
        float next = re * re - im * im + a;
        im = 2.0f * re * im + b;
        re = next;
        n++;
    }
    steps[y * width + x] = n;
}
