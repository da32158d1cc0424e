// Approximations of the device: prices of options, exponentials, error functions, and how far they are from the host's.
// > prices within 1e-5 of the host's
// > 12 functions within their bounds
// > fast division and square roots within 2 and 1 units
#include "check.h"
#include <cmath>

__device__ float cumulative(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

__global__ void price(const float *s, const float *x, const float *t, float *call, float *put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float r = 0.02f, v = 0.3f;
    float root = sqrtf(t[i]), d1 = (__logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root), d2 = d1 - v * root;
    float discounted = x[i] * __expf(-r * t[i]);
    call[i] = s[i] * cumulative(d1) - discounted * cumulative(d2);
    put[i] = discounted * cumulative(-d2) - s[i] * cumulative(-d1);
}

__global__ void functions(const float *x, float *out, int n)
{
    int i = threadIdx.x;
    float v = x[i], all[] = {sinf(v),   cosf(v), tanf(v),   expf(v),   logf(v),    powf(v, 1.7f),
                             atanf(v), erff(v), tanhf(v), lgammaf(v), cbrtf(v), exp2f(v)};
    for (int k = 0; k < 12; k++)
        out[k * n + i] = all[k];
}

__global__ void fast(const float *x, float *out, int n)
{
    int i = threadIdx.x;
    out[i] = __fdividef(x[i], 3.7f);
    out[n + i] = __frsqrt_rn(x[i]);
    out[2 * n + i] = __fsqrt_rn(x[i]);
}

static double units(float got, double wanted)
{
    float near = (float)wanted;
    return fabs(got - wanted) / (nextafterf(fabsf(near), INFINITY) - fabsf(near));
}

int main()
{
    const int n = 256;
    float *s, *x, *t, *call, *put, *out;
    for (float **one : {&s, &x, &t, &call, &put})
        CALL(cudaMallocManaged(one, n * sizeof(float)));
    CALL(cudaMallocManaged(&out, 12 * n * sizeof(float)));
    for (int i = 0; i < n; i++) {
        s[i] = 5 + (float)(next_random() % 2500) / 100;
        x[i] = 1 + (float)(next_random() % 9900) / 100;
        t[i] = 0.25f + (float)(next_random() % 975) / 100;
    }
    price<<<2, 128>>>(s, x, t, call, put, n);
    LAUNCHED();
    functions<<<1, n>>>(t, out, n);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    auto phi = [](double d) { return 0.5 * erfc(-d / sqrt(2.0)); };
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double root = sqrt((double)t[i]), d1 = (log((double)s[i] / x[i]) + (0.02 + 0.045) * t[i]) / (0.3 * root), d2 = d1 - 0.3 * root;
        double discounted = x[i] * exp(-0.02 * t[i]);
        worst = fmax(worst, fabs(call[i] - (s[i] * phi(d1) - discounted * phi(d2))) / 20);
        worst = fmax(worst, fabs(put[i] - (discounted * phi(-d2) - s[i] * phi(-d1))) / 20);
    }
    EXPECT(worst < 1e-5);
    printf("prices within 1e-5 of the host's\n");
    const double bounds[] = {2, 2, 4, 2, 1, 4, 2, 2, 2, 6, 1, 2};   // CUDA C++ Programming Guide, single precision
    int within = 0;
    for (int k = 0; k < 12; k++) {
        double most = 0;
        for (int i = 0; i < n; i++) {
            double v = t[i], all[] = {sin(v),  cos(v), tan(v),  exp(v),    log(v),  pow(v, (double)1.7f),
                                      atan(v), erf(v), tanh(v), lgamma(v), cbrt(v), exp2(v)};
            if (k == 9 && fabs(all[k]) < 0.3)
                continue;                      // near its zeros only the absolute error is small
            most = fmax(most, units(out[k * n + i], all[k]));
        }
        if (most <= bounds[k] + 0.5)
            within++;
        else
            printf("function %d: %.2f units\n", k, most);
    }
    printf("%d functions within their bounds\n", within);
    fast<<<1, n>>>(t, out, n);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    double divided = 0, roots = 0;
    for (int i = 0; i < n; i++) {
        divided = fmax(divided, units(out[i], (double)t[i] / (double)3.7f));
        roots = fmax(roots, units(out[n + i], 1 / sqrt((double)t[i])));
        EXPECT(out[2 * n + i] == sqrtf(t[i]));
    }
    EXPECT(divided <= 2.5 && roots <= 1);
    printf("fast division and square roots within 2 and 1 units\n");
    return 0;
}
