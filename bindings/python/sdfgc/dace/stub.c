/* DaCe loads this library before a program, to open the program's library and look up functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
#define EXPORTED extern "C"
#else
#define EXPORTED
#endif

EXPORTED void *load_library(const char *file) { return file ? dlopen(file, RTLD_LOCAL | RTLD_NOW) : NULL; }

EXPORTED int is_library_loaded(const char *file) {
    void *library = file ? dlopen(file, RTLD_NOLOAD | RTLD_NOW) : NULL;
    if (library)
        dlclose(library);
    return library != NULL;
}

EXPORTED void *get_symbol(void *library, const char *name) { return library && name ? dlsym(library, name) : NULL; }

EXPORTED void unload_library(void *library) {
    if (library)
        dlclose(library);
}
