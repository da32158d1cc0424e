/* Functions that are not implemented. They are there, for a program that has a call which it never makes, or can do
   without, is served; a library without them is not even loaded by programs that are linked with `-z now`. */
#include "runtime.h"

#define UNSUPPORTED(name) API int name(void) { return unsupported(#name); }
#include "unsupported.def"
