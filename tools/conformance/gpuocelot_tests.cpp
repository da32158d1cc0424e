// Prints gpuocelot's assembly tests, without running them: for each seed the input and what the reference makes of it.
//
// It is a shared library made of a checkout's ocelot/ir/test/TestPTXAssembly.cpp, with -fno-access-control and without the
// runtime, which is never called and is therefore not looked for when symbols are bound lazily. Each test is lines of `key value`; values of several bytes are hexadecimal.

#include <cmath>
#undef issubnormal
using std::fpclassify;
using std::isnan;
using std::isinf;
#define main ocelot_main
#include <ocelot/ir/test/TestPTXAssembly.cpp>
#undef main

#include <cstdio>
#include <cstdlib>

typedef test::TestPTXAssembly Tests;

static size_t size_of(const Tests::TypeVector &types)
{
    size_t size = 0;
    for (Tests::DataType type : types) {
        size_t bytes = Tests::bytes(type);
        size = (size + bytes - 1) / bytes * bytes + bytes;
    }
    return size;
}

static void print(const char *key, const char *bytes, size_t size)
{
    std::printf("%s ", key);
    for (size_t i = 0; i < size; ++i)
        std::printf("%02x", (unsigned char)bytes[i]);
    std::printf("\n");
}

extern "C" void print_tests(unsigned seeds)
{
    Tests tests;
    tests.print = tests.enumerate = tests.veryVerbose = false;  // they are not initialised
    tests._loadTests();
    for (const Tests::TestHandle &test : tests._tests) {
        std::printf("name %s\nthreads %u\nctas %u\nepsilon %d\ntypes ", test.name.c_str(), test.threads, test.ctas, test.epsilon);
        for (Tests::DataType type : test.outputTypes)
            std::printf("%d", (int)type);
        std::printf("\n");
        print("ptx", test.ptx.data(), test.ptx.size());
        size_t in = size_of(test.inputTypes), out = size_of(test.outputTypes);
        for (unsigned seed = 0; seed < seeds; ++seed) {
            test::Test::MersenneTwister random;
            random.seed(seed);
            char *input = test.generator(random);
            std::vector<char> output(out + 64);
            print("in", input, in);
            test.reference(output.data(), input);
            print("out", output.data(), out);
        }
        std::printf("end\n");
        std::fflush(stdout);
    }
    std::_Exit(0);  // destructors would call the runtime
}
