// Conjugate gradients in one cooperative launch: sparse products, dot products by atomics, waits of the whole grid.
// > solved: 1
// > the grid's size: 512
#include "check.h"
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>

namespace cg = cooperative_groups;

struct Sparse {
    const int *rows, *columns;
    const double *values;
    int n;
};

__device__ void dot(cg::grid_group grid, const double *a, const double *b, int n, double *sum)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    double mine = 0;
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
        mine += a[i] * b[i];
    mine = cg::reduce(warp, mine, cg::plus<double>());
    if (warp.thread_rank() == 0)
        atomicAdd(sum, mine);
}

__global__ void solve(Sparse a, double *x, double *r, double *p, double *q, double *sums, int *steps)
{
    cg::grid_group grid = cg::this_grid();
    int first = (int)grid.thread_rank(), stride = (int)grid.size();
    double *rr = sums, *pq = sums + 1, *next = sums + 2;
    dot(grid, r, r, a.n, rr);
    grid.sync();
    int step = 0;
    for (; step < 200 && *rr > 1e-20; step++) {
        for (int i = first; i < a.n; i += stride) {
            double sum = 0;
            for (int k = a.rows[i]; k < a.rows[i + 1]; k++)
                sum += a.values[k] * p[a.columns[k]];
            q[i] = sum;
        }
        if (!first)
            *pq = *next = 0;
        grid.sync();
        dot(grid, p, q, a.n, pq);
        grid.sync();
        double alpha = *rr / *pq;
        for (int i = first; i < a.n; i += stride)
            x[i] += alpha * p[i], r[i] -= alpha * q[i];
        grid.sync();
        dot(grid, r, r, a.n, next);
        grid.sync();
        double beta = *next / *rr;
        for (int i = first; i < a.n; i += stride)
            p[i] = r[i] + beta * p[i];
        grid.sync();
        if (!first)
            *rr = *next;
        grid.sync();
    }
    if (!first)
        *steps = step, steps[1] = stride;
}

template <typename T> static T *there(const std::vector<T> &host)
{
    T *made;
    CALL(cudaMallocManaged(&made, host.size() * sizeof(T)));
    memcpy(made, host.data(), host.size() * sizeof(T));
    return made;
}

int main()
{
    const int n = 600;
    std::vector<int> rows{0}, columns;
    std::vector<double> values, right(n), zeros(n), exact(n);
    for (int i = 0; i < n; i++) {
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n)
                columns.push_back(j), values.push_back(i == j ? 4.0 + i % 3 : -1.0);
        rows.push_back((int)columns.size());
        exact[i] = (int)(next_random() % 200) / 10.0 - 10;
    }
    for (int i = 0; i < n; i++)
        for (int k = rows[i]; k < rows[i + 1]; k++)
            right[i] += values[k] * exact[columns[k]];
    Sparse a{there(rows), there(columns), there(values), n};
    double *x = there(zeros), *r = there(right), *p = there(right), *q = there(zeros), *sums = there(std::vector<double>(3));
    int *steps = there(std::vector<int>(2)), blocks;
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, solve, 128, 0));
    EXPECT(blocks > 0);
    void *arguments[] = {&a, &x, &r, &p, &q, &sums, &steps};
    CALL(cudaLaunchCooperativeKernel((void *)solve, dim3(4), dim3(128), arguments, 0, nullptr));
    CALL(cudaDeviceSynchronize());
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(x[i] - exact[i]));
    EXPECT(steps[0] > 5 && steps[0] < 200);
    printf("solved: %d\nthe grid's size: %d\n", worst < 1e-8, steps[1]);
    return 0;
}
