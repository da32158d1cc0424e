// Numeric kernels as programs have them: what they multiply and add, ptxas may contract.
// NUMBER is float or double.
typedef NUMBER T;
#define KERNEL extern "C" __global__ void
#define AT int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return

KERNEL axpy(int n, T a, const T *x, T *y) { AT; y[i] = a * x[i] + y[i]; }

KERNEL lerp(int n, const T *a, const T *b, const T *t, T *out) { AT; out[i] = a[i] * (T(1) - t[i]) + b[i] * t[i]; }

KERNEL complex_product(int n, const T *a, const T *b, T *out)
{
    AT;
    T p = a[2 * i], q = a[2 * i + 1], r = b[2 * i], s = b[2 * i + 1];
    out[2 * i] = p * r - q * s;
    out[2 * i + 1] = p * s + q * r;
}

KERNEL complex_quotient(int n, const T *a, const T *b, T *out)
{
    AT;
    T p = a[2 * i], q = a[2 * i + 1], r = b[2 * i], s = b[2 * i + 1], d = r * r + s * s;
    out[2 * i] = (p * r + q * s) / d;
    out[2 * i + 1] = (q * r - p * s) / d;
}

KERNEL quaternion(int n, const T *a, const T *b, T *out)
{
    AT;
    const T *p = a + 4 * i, *q = b + 4 * i;
    out[4 * i] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    out[4 * i + 1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    out[4 * i + 2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    out[4 * i + 3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

KERNEL cross(int n, const T *a, const T *b, T *out)
{
    AT;
    const T *p = a + 3 * i, *q = b + 3 * i;
    T x = p[1] * q[2] - p[2] * q[1], y = p[2] * q[0] - p[0] * q[2], z = p[0] * q[1] - p[1] * q[0];
    T length = sqrt(x * x + y * y + z * z);
    if (length > T(0)) { x /= length; y /= length; z /= length; }
    out[3 * i] = x; out[3 * i + 1] = y; out[3 * i + 2] = z;
}

KERNEL rotate(int n, const T *points, T angle, T *out)
{
    AT;
    T s = sin(angle), c = cos(angle), x = points[2 * i], y = points[2 * i + 1];
    out[2 * i] = c * x - s * y;
    out[2 * i + 1] = s * x + c * y;
}

KERNEL quadratic(int n, const T *a, const T *b, const T *c, T *out)
{
    AT;
    T d = b[i] * b[i] - T(4) * a[i] * c[i];
    if (d < T(0)) { out[i] = T(-1); return; }
    T root = sqrt(d), p = (-b[i] + root) / (T(2) * a[i]), q = (-b[i] - root) / (T(2) * a[i]);
    out[i] = p < q ? p : q;
}

KERNEL horner(int n, const T *x, T *out)
{
    AT;
    T v = x[i], y = T(0.25);
    y = y * v + T(0.5); y = y * v - T(1.5); y = y * v + T(3); y = y * v + T(7);
    out[i] = y;
}

KERNEL determinant(int n, const T *m, T *out)
{
    AT;
    const T *a = m + 9 * i;
    out[i] = a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

KERNEL inverse(int n, const T *m, T *out)
{
    AT;
    T a = m[4 * i], b = m[4 * i + 1], c = m[4 * i + 2], d = m[4 * i + 3], det = a * d - b * c;
    if (fabs(det) < T(1e-6)) return;
    T r = T(1) / det;
    out[4 * i] = d * r; out[4 * i + 1] = -b * r; out[4 * i + 2] = -c * r; out[4 * i + 3] = a * r;
}

KERNEL nbody(int n, const T *positions, T *forces)
{
    AT;
    T x = positions[3 * i], y = positions[3 * i + 1], z = positions[3 * i + 2], fx = 0, fy = 0, fz = 0;
#pragma unroll 1
    for (int j = 0; j < n; j++) {
        T dx = positions[3 * j] - x, dy = positions[3 * j + 1] - y, dz = positions[3 * j + 2] - z;
        T r = rsqrt(dx * dx + dy * dy + dz * dz + T(1e-9)), s = r * r * r;
        fx += dx * s; fy += dy * s; fz += dz * s;
    }
    forces[3 * i] = fx; forces[3 * i + 1] = fy; forces[3 * i + 2] = fz;
}

KERNEL mandelbrot(int n, T x0, T y0, T step, int *out)
{
    AT;
    T a = x0 + (i % 64) * step, b = y0 + (i / 64) * step, x = 0, y = 0;
    int count = 0;
#pragma unroll 1
    while (count < 256 && x * x + y * y < T(4)) {
        T t = x * x - y * y + a;
        y = T(2) * x * y + b;
        x = t;
        count++;
    }
    out[i] = count;
}

KERNEL runge_kutta(int n, T h, int steps, T *state)
{
    AT;
    T x = state[2 * i], v = state[2 * i + 1];
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        T a1 = v, b1 = -x - T(0.1) * v;
        T a2 = v + T(0.5) * h * b1, b2 = -(x + T(0.5) * h * a1) - T(0.1) * a2;
        T a3 = v + T(0.5) * h * b2, b3 = -(x + T(0.5) * h * a2) - T(0.1) * a3;
        T a4 = v + h * b3, b4 = -(x + h * a3) - T(0.1) * a4;
        x += h / T(6) * (a1 + T(2) * a2 + T(2) * a3 + a4);
        v += h / T(6) * (b1 + T(2) * b2 + T(2) * b3 + b4);
    }
    state[2 * i] = x; state[2 * i + 1] = v;
}

KERNEL lorenz(int n, T h, int steps, T *state)
{
    AT;
    T x = state[3 * i], y = state[3 * i + 1], z = state[3 * i + 2];
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        T dx = T(10) * (y - x), dy = x * (T(28) - z) - y, dz = x * y - T(8.0 / 3) * z;
        x += h * dx; y += h * dy; z += h * dz;
    }
    state[3 * i] = x; state[3 * i + 1] = y; state[3 * i + 2] = z;
}

KERNEL butterfly(int n, T *re, T *im, const T *wr, const T *wi)
{
    AT;
    T a = re[i], b = im[i], c = re[i + n], d = im[i + n], p = wr[i], q = wi[i];
    T tr = c * p - d * q, ti = c * q + d * p;
    re[i] = a + tr; im[i] = b + ti; re[i + n] = a - tr; im[i + n] = b - ti;
}

KERNEL sobel(int n, int width, const T *image, T *out)
{
    AT;
    int x = i % width, y = i / width;
    if (x == 0 || y == 0 || x == width - 1) { out[i] = 0; return; }
    const T *p = image + i;
    T gx = p[-width + 1] + T(2) * p[1] + p[width + 1] - p[-width - 1] - T(2) * p[-1] - p[width - 1];
    T gy = p[width - 1] + T(2) * p[width] + p[width + 1] - p[-width - 1] - T(2) * p[-width] - p[-width + 1];
    out[i] = sqrt(gx * gx + gy * gy);
}

KERNEL heat(int n, int width, T c, const T *u, T *out)
{
    AT;
    if (i < width || i >= n - width) { out[i] = u[i]; return; }
    out[i] = u[i] + c * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - T(4) * u[i]);
}

KERNEL wave(int n, T c, const T *now, const T *before, T *out)
{
    AT;
    if (i == 0 || i == n - 1) { out[i] = 0; return; }
    out[i] = T(2) * now[i] - before[i] + c * c * (now[i - 1] - T(2) * now[i] + now[i + 1]);
}

KERNEL layer_norm(int n, int width, const T *x, const T *gamma, const T *beta, T *out)
{
    AT;
    T sum = 0, squares = 0;
#pragma unroll 1
    for (int k = 0; k < width; k++) { T v = x[i * width + k]; sum += v; squares += v * v; }
    T mean = sum / width, variance = squares / width - mean * mean, scale = rsqrt(variance + T(1e-5));
#pragma unroll 1
    for (int k = 0; k < width; k++) out[i * width + k] = (x[i * width + k] - mean) * scale * gamma[k] + beta[k];
}

KERNEL adam(int n, T rate, T b1, T b2, T c1, T c2, const T *g, T *m, T *v, T *w)
{
    AT;
    T d = g[i] + T(0.01) * w[i];
    m[i] = b1 * m[i] + (T(1) - b1) * d;
    v[i] = b2 * v[i] + (T(1) - b2) * d * d;
    w[i] -= rate * (m[i] / c1) / (sqrt(v[i] / c2) + T(1e-8));
}

KERNEL gelu(int n, const T *x, T *out) { AT; T v = x[i]; out[i] = T(0.5) * v * (T(1) + tanh(T(0.79788456) * (v + T(0.044715) * v * v * v))); }

KERNEL sigmoid(int n, const T *x, T *out) { AT; out[i] = x[i] / (T(1) + exp(-x[i])); }

KERNEL softplus(int n, const T *x, T *out) { AT; T v = x[i]; out[i] = v > T(20) ? v : log(T(1) + exp(v)); }

KERNEL conjugate_gradient(int n, const T *d, const T *p, T alpha, T *x, T *r)
{
    AT;
    T q = d[i] * p[i];
    if (i > 0) q -= p[i - 1];
    if (i < n - 1) q -= p[i + 1];
    x[i] += alpha * p[i];
    r[i] -= alpha * q;
}

KERNEL ray_sphere(int n, const T *rays, T cx, T cy, T cz, T radius, T *out)
{
    AT;
    const T *r = rays + 6 * i;
    T ox = r[0] - cx, oy = r[1] - cy, oz = r[2] - cz;
    T b = ox * r[3] + oy * r[4] + oz * r[5], c = ox * ox + oy * oy + oz * oz - radius * radius, d = b * b - c;
    if (d < T(0)) { out[i] = T(-1); return; }
    T s = sqrt(d), t = -b - s;
    if (t < T(0)) t = -b + s;
    out[i] = t;
}

KERNEL refract(int n, const T *v, const T *normals, T eta, T *out)
{
    AT;
    const T *a = v + 3 * i, *m = normals + 3 * i;
    T d = a[0] * m[0] + a[1] * m[1] + a[2] * m[2], k = T(1) - eta * eta * (T(1) - d * d);
    T s = k < T(0) ? T(0) : eta * d + sqrt(k);
    for (int j = 0; j < 3; j++) out[3 * i + j] = k < T(0) ? T(0) : eta * a[j] - s * m[j];
}

__device__ T fade(T t) { return t * t * t * (t * (t * T(6) - T(15)) + T(10)); }
__device__ T gradient(int h, T x, T y) { T u = h & 1 ? x : -x, v = h & 2 ? y : -y; return u + v; }
__device__ int hashed(int x, int y) { return (x * 374761393 + y * 668265263) >> 13; }

KERNEL perlin(int n, T scale, T *out)
{
    AT;
    T x = (i % 256) * scale, y = (i / 256) * scale;
    int a = int(floor(x)), b = int(floor(y));
    T fx = x - a, fy = y - b, u = fade(fx), v = fade(fy);
    T p = gradient(hashed(a, b), fx, fy), q = gradient(hashed(a + 1, b), fx - 1, fy);
    T r = gradient(hashed(a, b + 1), fx, fy - 1), s = gradient(hashed(a + 1, b + 1), fx - 1, fy - 1);
    T low = p + u * (q - p), high = r + u * (s - r);
    out[i] = low + v * (high - low);
}

KERNEL hsv(int n, const T *rgb, T *out)
{
    AT;
    T r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2], top = fmax(r, fmax(g, b)), low = fmin(r, fmin(g, b)), d = top - low, h;
    if (d == T(0)) h = 0;
    else if (top == r) h = (g - b) / d;
    else if (top == g) h = (b - r) / d + T(2);
    else h = (r - g) / d + T(4);
    out[3 * i] = h * T(60); out[3 * i + 1] = top > T(0) ? d / top : T(0); out[3 * i + 2] = top;
}

KERNEL luminance(int n, const T *rgb, T *out) { AT; out[i] = T(0.2126) * rgb[3 * i] + T(0.7152) * rgb[3 * i + 1] + T(0.0722) * rgb[3 * i + 2]; }

KERNEL bilinear(int n, int width, const T *image, const T *where, T *out)
{
    AT;
    T x = where[2 * i], y = where[2 * i + 1], fx = x - floor(x), fy = y - floor(y);
    const T *p = image + int(y) * width + int(x);
    out[i] = (p[0] * (T(1) - fx) + p[1] * fx) * (T(1) - fy) + (p[width] * (T(1) - fx) + p[width + 1] * fx) * fy;
}

KERNEL bicubic(int n, const T *p, const T *t, T *out)
{
    AT;
    T a = p[4 * i], b = p[4 * i + 1], c = p[4 * i + 2], d = p[4 * i + 3], x = t[i];
    out[i] = b + T(0.5) * x * (c - a + x * (T(2) * a - T(5) * b + T(4) * c - d + x * (T(3) * (b - c) + d - a)));
}

__device__ T normal_cdf(T d)
{
    T k = T(1) / (T(1) + T(0.2316419) * fabs(d));
    T c = T(0.39894228) * exp(T(-0.5) * d * d) * (k * (T(0.31938153) + k * (T(-0.356563782) + k * (T(1.781477937) + k * (T(-1.821255978) + k * T(1.330274429))))));
    return d > T(0) ? T(1) - c : c;
}

KERNEL black_scholes(int n, const T *price, const T *strike, const T *years, T rate, T volatility, T *call, T *put)
{
    AT;
    T s = price[i], x = strike[i], t = years[i], root = sqrt(t);
    T d1 = (log(s / x) + (rate + T(0.5) * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
    T c1 = normal_cdf(d1), c2 = normal_cdf(d2), e = exp(-rate * t);
    call[i] = s * c1 - x * e * c2;
    put[i] = x * e * (T(1) - c2) - s * (T(1) - c1);
}

KERNEL lennard_jones(int n, T epsilon, T sigma, T cut, const T *r2, T *energy, T *force)
{
    AT;
    T d = r2[i];
    if (d > cut) { energy[i] = 0; force[i] = 0; return; }
    T s = sigma * sigma / d, s6 = s * s * s;
    energy[i] = T(4) * epsilon * (s6 * s6 - s6);
    force[i] = T(24) * epsilon * (T(2) * s6 * s6 - s6) / d;
}

KERNEL haversine(int n, const T *a, const T *b, T *out)
{
    AT;
    T dy = (b[2 * i] - a[2 * i]) * T(0.5), dx = (b[2 * i + 1] - a[2 * i + 1]) * T(0.5), s = sin(dy), c = sin(dx);
    T h = s * s + cos(a[2 * i]) * cos(b[2 * i]) * c * c;
    out[i] = T(2 * 6371) * asin(sqrt(h));
}

KERNEL welford(int n, int width, const T *x, T *mean, T *variance)
{
    AT;
    T m = 0, s = 0;
#pragma unroll 1
    for (int k = 0; k < width; k++) { T v = x[i * width + k], d = v - m; m += d / (k + 1); s += d * (v - m); }
    mean[i] = m; variance[i] = s / (width - 1);
}

KERNEL kahan(int n, int width, const T *x, T *out)
{
    AT;
    T sum = 0, lost = 0;
#pragma unroll 1
    for (int k = 0; k < width; k++) { T v = x[i * width + k] * x[k] - lost, t = sum + v; lost = (t - sum) - v; sum = t; }
    out[i] = sum;
}

KERNEL dot(int n, int width, const T *a, const T *b, T *out)
{
    AT;
    T s = 0;
#pragma unroll 4
    for (int k = 0; k < width; k++) s += a[i * width + k] * b[k];
    out[i] = s;
}

KERNEL newton_root(int n, const T *a, T *out)
{
    AT;
    T v = a[i], x = v;
#pragma unroll 1
    for (int k = 0; k < 20; k++) { T f = x * x * x - v, d = T(3) * x * x; if (fabs(f) < T(1e-6)) break; x -= f / d; }
    out[i] = x;
}

KERNEL biquad(int n, int width, T b0, T b1, T b2, T a1, T a2, const T *x, T *out)
{
    AT;
    T p = 0, q = 0;
#pragma unroll 1
    for (int k = 0; k < width; k++) {
        T v = x[i * width + k], y = b0 * v + p;
        p = b1 * v - a1 * y + q; q = b2 * v - a2 * y;
        out[i * width + k] = y;
    }
}

KERNEL kinetic(int n, const T *mass, const T *v, T *out) { AT; out[i] = T(0.5) * mass[i] * (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]); }

KERNEL barycentric(int n, const T *t, const T *p, T *out)
{
    AT;
    const T *a = t + 6 * i;
    T x = p[2 * i] - a[4], y = p[2 * i + 1] - a[5], d = (a[3] - a[5]) * (a[0] - a[4]) + (a[4] - a[2]) * (a[1] - a[5]);
    T u = ((a[3] - a[5]) * x + (a[4] - a[2]) * y) / d, v = ((a[5] - a[1]) * x + (a[0] - a[4]) * y) / d;
    out[3 * i] = u; out[3 * i + 1] = v; out[3 * i + 2] = T(1) - u - v;
}

KERNEL schlick(int n, const T *c, const T *f0, T *out) { AT; T m = T(1) - c[i], m2 = m * m; out[i] = f0[i] + (T(1) - f0[i]) * m2 * m2 * m; }

KERNEL tone_map(int n, const T *x, T *out) { AT; T v = x[i]; v = (v * (T(2.51) * v + T(0.03))) / (v * (T(2.43) * v + T(0.59)) + T(0.14)); out[i] = v < T(0) ? T(0) : v > T(1) ? T(1) : v; }

KERNEL least_squares(int n, int width, const T *x, const T *y, T *out)
{
    AT;
    T sx = 0, sy = 0, sxx = 0, sxy = 0;
#pragma unroll 1
    for (int k = 0; k < width; k++) { T a = x[i * width + k], b = y[i * width + k]; sx += a; sy += b; sxx += a * a; sxy += a * b; }
    T d = width * sxx - sx * sx;
    out[2 * i] = (width * sxy - sx * sy) / d;
    out[2 * i + 1] = (sy * sxx - sx * sxy) / d;
}

KERNEL gray_scott(int n, int width, T f, T k, const T *u, const T *v, T *p, T *q)
{
    AT;
    if (i < width || i >= n - width) return;
    T a = u[i], b = v[i], lu = u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - T(4) * a;
    T lv = v[i - 1] + v[i + 1] + v[i - width] + v[i + width] - T(4) * b, r = a * b * b;
    p[i] = a + T(0.16) * lu - r + f * (T(1) - a);
    q[i] = b + T(0.08) * lv + r - (f + k) * b;
}

KERNEL ideal_gas(int n, T gamma, const T *rho, const T *momentum, const T *energy, T *flux)
{
    AT;
    T r = rho[i], m = momentum[i], e = energy[i], v = m / r, p = (gamma - T(1)) * (e - T(0.5) * r * v * v);
    flux[3 * i] = m; flux[3 * i + 1] = m * v + p; flux[3 * i + 2] = (e + p) * v;
}

KERNEL logistic(int n, int steps, T r, T *x)
{
    AT;
    T v = x[i];
#pragma unroll 1
    for (int k = 0; k < steps; k++) v = r * v * (T(1) - v);
    x[i] = v;
}

KERNEL reduce(int n, const T *x, T *out)
{
    AT;
    T v = x[i] * x[i];
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
    out[i] = v / T(32) + T(1);
}
