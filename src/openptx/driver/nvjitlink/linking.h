/* What the files of libnvJitLink share: NVIDIA's functions, and a link in progress. */
#pragma once
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

typedef uint64_t Word; /* what a register passes: an integer, or a pointer */
typedef Word Forwarded(Word, Word, Word, Word, Word, Word);

/* nvJitLinkResult */
enum { SUCCESS = 0, INVALID_INPUT = 3, PTX_COMPILE = 4, INTERNAL_ERROR = 6, NULL_INPUT = 10 };

#define FUNCTION(name) INDEX_##name,
enum {
#include "functions.def"
    INDEX___nvJitLinkAPI, INDEX_nvJitLinkVersion, COUNT
};
#undef FUNCTION

/* Calls NVIDIA's function; an internal error if there is none, which is explained once. */
int call(int index, Word a, Word b, Word c, Word d, Word e);
int is_there(void); /* NVIDIA's library */

enum { LOG = 1 << 14 };
struct input {
    struct input *next;
    int type;
    size_t size;
    const char *name;
    char data[];
};

/* A handle of the program's. Inputs with LTO IR are added to `theirs` at once; others are kept for the driver's linker. */
struct link {
    void *theirs; /* NVIDIA's handle; null if its library is missing */
    uint32_t count;
    const char **options; /* copies */
    int lto, ptx;         /* whether these options are among them */
    uint32_t registers;   /* of -maxrregcount */
    struct input *inputs, **last;
    char *linked; /* PTX of the driver's linker */
    size_t size;
    char log[LOG];
};

int link_create(struct link **out, uint32_t count, const char **options);
void link_destroy(struct link *link);
int link_add(struct link *link, int type, const void *data, size_t size, const char *name);
int link_add_file(struct link *link, int type, const char *path);
int link_complete(struct link *link);

/* Adds an input to a link of its own by cuLink*, which compiles PTX. Errors are in the log. */
int check_by_driver(struct link *link, struct input *one);
/* Links PTX, if any, and the inputs by cuLink*. Errors are in the log. */
int link_by_driver(struct link *link, const char *ptx, size_t size);
