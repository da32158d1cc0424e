/* A link: LTO IR by NVIDIA's linker, which makes PTX of it, and everything else by the driver's linker. */
#include "linking.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTX = 2, LTO_IR = 3, LIBRARY = 6, ANY = 10 };
enum { LTO_MAGIC = 0x7F4E43ED };

static int is_option(const char *given, const char *name) { return given && !strcmp(given, name); }

/* NVIDIA's handle with the program's options; it emits PTX where LTO IR is linked. */
static int create_theirs(const struct link *link, void **out) {
    const char **options = malloc((link->count + 1) * sizeof *options);
    if (!options) return INTERNAL_ERROR;
    for (uint32_t i = 0; i < link->count; i++) options[i] = link->options[i];
    options[link->count] = "-ptx";
    int result = call(INDEX_nvJitLinkCreate, (Word)out, link->count + (link->lto && !link->ptx), (Word)options, 0, 0);
    free(options);
    return result;
}

int link_create(struct link **out, uint32_t count, const char **options) {
    struct link *link = calloc(1, sizeof *link);
    if (!link || !(link->options = calloc(count + 1, sizeof *options))) return free(link), INTERNAL_ERROR;
    link->last = &link->inputs;
    for (; options && link->count < count; link->count++) {
        const char *given = options[link->count];
        link->options[link->count] = given ? strdup(given) : NULL;
        link->lto |= is_option(given, "-lto") || is_option(given, "-dlto");
        link->ptx |= is_option(given, "-ptx");
        if (given) sscanf(given, "-maxrregcount=%u", &link->registers);
    }
    int result = link->lto || is_there() ? create_theirs(link, &link->theirs) : SUCCESS;
    if (result) return link_destroy(link), result;
    *out = link;
    return SUCCESS;
}

void link_destroy(struct link *link) {
    if (link->theirs) call(INDEX_nvJitLinkDestroy, (Word)&link->theirs, 0, 0, 0, 0);
    for (struct input *next, *one = link->inputs; one; one = next) {
        next = one->next;
        free((char *)one->name);
        free(one);
    }
    for (uint32_t i = 0; i < link->count; i++) free((char *)link->options[i]);
    free(link->options);
    free(link->linked);
    free(link);
}

/* Whether an input has LTO IR: NVIDIA's linker refuses to emit PTX of any other. For fat binaries, objects and libraries
   only a link of that input alone tells. */
static int has_lto_ir(const struct link *link, int type, const void *data, size_t size, const char *name) {
    uint32_t magic = 0;
    memcpy(&magic, data, size < sizeof magic ? size : sizeof magic);
    if (type <= LTO_IR || magic == LTO_MAGIC) return type == LTO_IR || magic == LTO_MAGIC;
    void *alone = NULL;
    int result = create_theirs(link, &alone);
    if (!result) result = call(INDEX_nvJitLinkAddData, (Word)alone, type, (Word)data, size, (Word)name);
    if (!result) result = call(INDEX_nvJitLinkComplete, (Word)alone, 0, 0, 0, 0);
    if (alone) call(INDEX_nvJitLinkDestroy, (Word)&alone, 0, 0, 0, 0);
    return !result;
}

int link_add(struct link *link, int type, const void *data, size_t size, const char *name) {
    if (!data || !size || type < 1 || (type > LIBRARY && type != ANY)) return INVALID_INPUT;
    /* A program that asks for PTX itself gets NVIDIA's errors, as does one that links LTO IR without -lto. */
    if (link->ptx || (!link->lto && type == LTO_IR) || (link->lto && has_lto_ir(link, type, data, size, name)))
        return call(INDEX_nvJitLinkAddData, (Word)link->theirs, type, (Word)data, size, (Word)name);
    struct input *one = malloc(sizeof *one + size);
    if (!one) return INTERNAL_ERROR;
    const char *slash = name ? strrchr(name, '/') : NULL;
    *one = (struct input){.type = type, .size = size, .name = strdup(slash ? slash + 1 : name ? name : "<image>")};
    memcpy(one->data, data, size);
    int result = type == PTX ? check_by_driver(link, one) : SUCCESS;
    if (result) return free((char *)one->name), free(one), result;
    *link->last = one;
    link->last = &one->next;
    return SUCCESS;
}

int link_add_file(struct link *link, int type, const char *path) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    char *data = NULL;
    long size = -1;
    if (file && !fseek(file, 0, SEEK_END)) size = ftell(file);
    if (size > 0 && (data = malloc(size)) && !fseek(file, 0, SEEK_SET) && fread(data, 1, size, file) != (size_t)size)
        size = -1;
    int result = size > 0 && data ? link_add(link, type, data, size, path) : INVALID_INPUT;
    free(data);
    if (file) fclose(file);
    return result;
}

int link_complete(struct link *link) {
    char *ptx = NULL;
    size_t size = 0;
    int result = SUCCESS;
    if (link->lto) {
        result = call(INDEX_nvJitLinkComplete, (Word)link->theirs, 0, 0, 0, 0);
        if (result || link->ptx || !(link->inputs || link->registers)) return result;
        result = call(INDEX_nvJitLinkGetLinkedPtxSize, (Word)link->theirs, (Word)&size, 0, 0, 0);
        if (result) return result;
        if (!(ptx = malloc(size))) return INTERNAL_ERROR;
        result = call(INDEX_nvJitLinkGetLinkedPtx, (Word)link->theirs, (Word)ptx, 0, 0, 0);
    }
    if (!result) result = link_by_driver(link, ptx, size);
    free(ptx);
    return result;
}
