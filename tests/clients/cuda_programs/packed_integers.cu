// Products of four packed bytes, sums of bytes and halves of a word, permutations of bytes, shifts of two words.
// > dp4a: 1024 as on the host
// > dp2a: 1024 as on the host
// > sums of bytes: 1024 as on the host
// > differences of halves: 1024 as on the host
// > bytes in another order: 1024 as on the host
// > shifts of two words: 1024 as on the host
// > bits: 1024 as on the host
#include "check.h"
#include <vector>

struct Results {
    int dp4a, dp2a;
    unsigned sums, differences, permuted, shifted, bits;
};

__global__ void compute(const unsigned *a, const unsigned *b, Results *r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    r[i].dp4a = __dp4a((int)a[i], (int)b[i], i);
    r[i].dp2a = __dp2a_hi((int)a[i], (int)b[i], -i);
    r[i].sums = __vaddus4(a[i], b[i]);
    r[i].differences = __vabsdiffs2(a[i], b[i]);
    r[i].permuted = __byte_perm(a[i], b[i], 0x6142);
    r[i].shifted = __funnelshift_r(a[i], b[i], i & 31);
    r[i].bits = __brev(a[i]) ^ (__popc(b[i]) << 8) ^ __clz(a[i]) ^ (__ffs(b[i]) << 16);
}

static int signed_byte(unsigned x, int i) { return (signed char)(x >> 8 * i); }
static int signed_half(unsigned x, int i) { return (short)(x >> 16 * i); }

static Results on_host(unsigned a, unsigned b, int i)
{
    Results r = {i, -i, 0, 0, 0, 0, 0};
    for (int k = 0; k < 4; k++) {
        r.dp4a += signed_byte(a, k) * signed_byte(b, k);
        unsigned sum = (a >> 8 * k & 255) + (b >> 8 * k & 255);
        r.sums |= (sum > 255 ? 255 : sum) << 8 * k;
    }
    for (int k = 0; k < 2; k++) {
        r.dp2a += signed_half(a, k) * signed_byte(b, 2 + k);
        r.differences |= (unsigned)(abs(signed_half(a, k) - signed_half(b, k)) & 0xFFFF) << 16 * k;
    }
    unsigned long long both = (unsigned long long)b << 32 | a;
    const int selectors[] = {2, 4, 1, 6};
    for (int k = 0; k < 4; k++)
        r.permuted |= (unsigned)(both >> 8 * selectors[k] & 255) << 8 * k;
    r.shifted = (unsigned)(both >> (i & 31));
    unsigned reversed = 0;
    for (int k = 0; k < 32; k++)
        reversed |= (a >> k & 1) << (31 - k);
    int leading = a ? __builtin_clz(a) : 32;
    r.bits = reversed ^ (__builtin_popcount(b) << 8) ^ leading ^ (__builtin_ffs(b) << 16);
    return r;
}

template <typename Field> static void compare(const char *what, const Results *got, const std::vector<Results> &wanted, Field field)
{
    std::vector<unsigned> left, right;
    for (size_t i = 0; i < wanted.size(); i++)
        left.push_back(field(got[i])), right.push_back(field(wanted[i]));
    same(what, left.data(), right.data(), left.size());
}

int main()
{
    const int n = 1024;
    unsigned *a, *b;
    Results *got;
    CALL(cudaMallocManaged(&a, n * sizeof *a));
    CALL(cudaMallocManaged(&b, n * sizeof *b));
    CALL(cudaMallocManaged(&got, n * sizeof *got));
    std::vector<Results> wanted;
    for (int i = 0; i < n; i++) {
        a[i] = next_random() << 16 ^ next_random();
        b[i] = i % 16 ? next_random() << 15 ^ next_random() : 0;
        wanted.push_back(on_host(a[i], b[i], i));
    }
    compute<<<4, 256>>>(a, b, got, n);
    CALL(cudaDeviceSynchronize());
    compare("dp4a", got, wanted, [](const Results &r) { return (unsigned)r.dp4a; });
    compare("dp2a", got, wanted, [](const Results &r) { return (unsigned)r.dp2a; });
    compare("sums of bytes", got, wanted, [](const Results &r) { return r.sums; });
    compare("differences of halves", got, wanted, [](const Results &r) { return r.differences; });
    compare("bytes in another order", got, wanted, [](const Results &r) { return r.permuted; });
    compare("shifts of two words", got, wanted, [](const Results &r) { return r.shifted; });
    compare("bits", got, wanted, [](const Results &r) { return r.bits; });
    return 0;
}
