/* The interpreter of SDFGs, for programs in C and for what calls C.
 *
 *     sdfgc_program *p = sdfgc_program_read("prog.sdfg");
 *     if (sdfgc_program_error(p)) ...
 *     sdfgc_program_bind(p, "A", A);          memory of an array or scalar, in its own layout
 *     sdfgc_program_set_integer(p, "N", 100);
 *     for (int i = 0; i < sdfgc_program_run(p); ++i)
 *         puts(sdfgc_program_report(p, i));
 *     sdfgc_program_free(p);
 */
#ifndef SDFGC_INTERPRETER_H
#define SDFGC_INTERPRETER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sdfgc_program sdfgc_program;

/* Reads a graph, or a schedule tree (.sdfgtree), and makes it ready; tasklets in C++ of graphs are compiled. Never null;
 * sdfgc_program_error says what is wrong. */
sdfgc_program *sdfgc_program_read(const char *path);
/* Why the program cannot be run, one line for each reason; null if it can. */
const char *sdfgc_program_error(const sdfgc_program *p);
/* Memory for a container of the interface, as large as its total size; null for an array that is not there. */
void sdfgc_program_bind(sdfgc_program *p, const char *container, void *memory);
/* The value of a symbol. */
void sdfgc_program_set_integer(sdfgc_program *p, const char *symbol, long long value);
void sdfgc_program_set_real(sdfgc_program *p, const char *symbol, double value);
/* Runs the program. Returns the number of faults that were found. */
int sdfgc_program_run(sdfgc_program *p);
/* A fault of the last run: where and what. */
const char *sdfgc_program_report(const sdfgc_program *p, int number);
void sdfgc_program_free(sdfgc_program *p);

#ifdef __cplusplus
}
#endif

#endif
