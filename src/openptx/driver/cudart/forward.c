/* Functions that the driver has with the same parameters, up to six integers and pointers. Both calling conventions
   that are supported (System V on x86-64, AAPCS64) pass those in registers, so that one signature forwards them all. */
#include "driver.h"

typedef int (*Function)(Word, Word, Word, Word, Word, Word);

static int forward(Function *function, const char *name, Word a, Word b, Word c, Word d, Word e, Word f)
{
    int error = enter();
    if (error)
        return done(error);
    if (!*function)
        *function = (Function)driver_function(name);
    return done((*function)(a, b, c, d, e, f));
}

#define FORWARD(name, there)                                                                                           \
    API int name(Word a, Word b, Word c, Word d, Word e, Word f)                                                       \
    {                                                                                                                  \
        static Function function;                                                                                      \
        return forward(&function, #there, a, b, c, d, e, f);                                                           \
    }

#define STREAM(name, there, stream)                                                                                    \
    FORWARD(name, there)                                                                                               \
    API int name##_ptsz(Word a, Word b, Word c, Word d, Word e, Word f)                                                \
    {                                                                                                                  \
        stream = (Word)per_thread((Handle)stream);                                                                     \
        return name(a, b, c, d, e, f);                                                                                 \
    }

#include "forward.def"

API int cudaStreamCreate(Handle *stream) { IN_CONTEXT(driver()->cuStreamCreate(stream, 0)); }

API int cudaEventCreate(Handle *event) { IN_CONTEXT(driver()->cuEventCreate(event, 0)); }

SAME_FUNCTION(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);
