// Control flow: switches, loops that break, state machines, an interpreter; lanes go different ways.

// A dense switch: the compiler may make a branch table of it.
extern "C" __global__ void dense_switch(const int *op, const int *in, int *out) {
    int i = threadIdx.x, v = in[i], r;
    switch (op[i]) {
        case 0: r = v + 1; break;
        case 1: r = v * v; break;
        case 2: r = v ^ 0x55; break;
        case 3: r = v << 3; break;
        case 4: r = -v;
        case 5: r = v / 3; break;
        case 6: r = __popc(v); break;
        case 7: r = v % 11; break;
        case 8: r = v & 0xf0; break;
        case 9: r = v | 0x0f; break;
        case 10: r = max(v, 10); break;
        case 11: r = v - 1000; break;
        case 12: return;
        default: r = 12345;
    }
    out[i] = r;
}

// A machine with a stack and a program in memory, one a thread: brx.idx in a loop.
extern "C" __global__ void stack_machine(const signed char *programs, int *out, int length) {
    unsigned stack[16], a;
    int top = 0, pc = 0, steps = 0;
    const signed char *code = programs + threadIdx.x % 5 * length;
    stack[top++] = threadIdx.x;
    while (steps++ < 1000) {
        switch (code[pc++]) {
            case 0: out[threadIdx.x] = stack[top - 1]; return;
            case 1: stack[top++] = code[pc++]; break;
            case 2: a = stack[--top]; stack[top - 1] += a; break;
            case 3: a = stack[--top]; stack[top - 1] -= a; break;
            case 4: a = stack[--top]; stack[top - 1] *= a; break;
            case 5: a = stack[top - 1]; stack[top++] = a; break;
            case 6: a = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = a; break;
            case 7: a = code[pc++]; if ((int)stack[--top] > 0) pc += a; break;
            case 8: pc += code[pc] + 1; break;
            case 9: top--; break;
            case 10: a = stack[top - 2]; stack[top++] = a; break;
            default: out[threadIdx.x] = -1; return;
        }
    }
    out[threadIdx.x] = -2;
}

// Nested loops with break, continue and return from the middle, trip counts by lane.
extern "C" __global__ void ragged_loops(const int *in, int *out) {
    int v = in[threadIdx.x], sum = 0;
    for (int i = 0; i < v; i++) {
        if (i % 5 == 3) continue;
        for (int j = i;; j += 2) {
            if (j > v) break;
            if ((i * j + v) % 17 == 0) goto next;
            sum += j;
        }
        sum ^= i;
        do {
            sum += 3;
            if (sum > 100000) {
                out[threadIdx.x] = -sum;
                return;
            }
        } while (sum % 7);
    next:;
    }
    out[threadIdx.x] = sum;
}

// Short circuits with side effects, conditional operators, comma; predicates that combine.
extern "C" __global__ void short_circuits(const int *a, const int *b, int *out, int *calls) {
    int i = threadIdx.x, x = a[i], y = b[i], r = 0;
    auto touched = [&](int bit, bool v) {
        atomicAdd(&calls[bit], 1);
        return v;
    };
    if (touched(0, x > 0) && touched(1, y > 0)) r |= 1;
    if (touched(2, x < -5) || touched(3, y % 2 == 0)) r |= 2;
    if (!(touched(4, x == y) || (touched(5, x > y) && touched(6, x % 3)))) r |= 4;
    r += x > y ? (x > 50 ? 100 : 200) : (y > 50 ? 300 : 400);
    out[i] = r;
}

// A table-driven automaton: does a binary number, most significant bit first, divide by seven.
__constant__ unsigned char automaton[7][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 0}, {1, 2}, {3, 4}, {5, 6}};
extern "C" __global__ void automaton_run(const unsigned *in, unsigned char *out) {
    unsigned v = in[threadIdx.x];
    int state = 0;
    for (int bit = 31; bit >= 0; bit--) state = automaton[state][v >> bit & 1];
    out[threadIdx.x] = state;
}

// Sparse 64-bit cases and a switch on characters of a string.
extern "C" __global__ void sparse_switch(const long long *in, const char *text, int *out) {
    int i = threadIdx.x, r = 0;
    switch (in[i]) {
        case -1: r = 1; break;
        case 0: r = 2; break;
        case 1ll << 40: r = 3; break;
        case 77: case 78: case 79: r = 4; break;
        case (long long)0x8000000000000000ull: r = 5; break;
    }
    switch (text[i]) {
        case '+': r += 10; break;
        case '-': r += 20; break;
        case ' ': r += 30; break;
        case 'a': case 'b': case 'c': case 'd': case 'e': case 'f': r += 40; break;
    }
    out[i] = r;
}
