// What GCC offloads to a GPU: a function a file line, calls by address, switches, division, complex and wide numbers.
#include <complex.h>
#include <math.h>
#include <stdio.h>

#pragma omp declare target
typedef int (*binary)(int, int);
static int add(int a, int b) { return a + b; }
static int multiply(int a, int b) { return a * b; }
static const int table[4] = {3, 1, 4, 1};
int choose(int i, int a, int b) {
    binary both[2] = {add, multiply};
    return both[i & 1](a, b);
}
int classify(int c) {
    switch (c) {
    case 1: return 10;
    case 2: return 30;
    case 3: return 20;
    case 7: return 5;
    case 9: return 8;
    default: return -1;
    }
}
double norm(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}
#pragma omp end declare target

void axpy(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
    for (int i = 0; i < n; i++) y[i] += a * x[i] + choose(i, i, 3) + classify(i) + table[i & 3];
}

void more(int n, double *x, float complex *z, long *k) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n], z[0 : n], k[0 : n])
    for (int i = 0; i < n; i++) {
        x[i] = sin(x[i]) + pow(x[i], 0.3) + norm(x, i & 7) + lgamma(x[i]);
        z[i] = cexpf(z[i]) * z[i];
        k[i] = k[i] / (i + 3) + k[i] % 7;
        if (i == 77) printf("%d %f\n", i, x[i]);
        __atomic_fetch_add(&k[0], 3, __ATOMIC_SEQ_CST);
        __int128 w = (__int128)k[i] * k[i + 1] / 3;
        k[i] = (long)(w >> 17);
    }
}

double total(int n, const double *x) {
    double s = 0;
#pragma omp target teams distribute parallel for reduction(+ : s) map(to : x[0 : n])
    for (int i = 0; i < n; i++) s += x[i] > 0.5 ? x[i] : 1 / x[i];
    return s;
}
