/* Functions that are not implemented. They are there, for a program that has a call which it never makes, or can do
   without, is served; a library without them is not even loaded by programs that are linked with `-z now`. */
#include "runtime.h"

#define UNSUPPORTED(name)                                                                                              \
    API int name(void)                                                                                                 \
    {                                                                                                                  \
        static atomic_flag told = ATOMIC_FLAG_INIT;                                                                    \
        return unsupported(#name, &told);                                                                              \
    }
#include "unsupported.def"
