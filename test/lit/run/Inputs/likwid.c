/* A liblikwid with two events: how often a thread has started a region since the last reset, and one and a half times that. */
#include <stdlib.h>
#include <string.h>

static __thread struct {
    char name[64];
    int starts, isOpen;
} regions[16];
static __thread int count = 0;
static int isReady = 0;

static int find(const char *name) {
    for (int i = 0; i < count; ++i)
        if (strcmp(regions[i].name, name) == 0)
            return i;
    strncpy(regions[count].name, name, sizeof regions[count].name - 1);
    return count++;
}
void likwid_markerInit(void) {
    isReady = getenv("LIKWID_EVENTS") && getenv("LIKWID_THREADS") && getenv("LIKWID_FILEPATH") && getenv("LIKWID_PERF_PID");
}
void likwid_markerThreadInit(void) {}
int likwid_markerRegisterRegion(const char *name) { return find(name) < 0; }
int likwid_markerResetRegion(const char *name) {
    regions[find(name)].starts = 0;
    return 0;
}
int likwid_markerStartRegion(const char *name) {
    const int i = find(name);
    if (!isReady || regions[i].isOpen)
        abort();
    regions[i].isOpen = 1;
    ++regions[i].starts;
    return 0;
}
int likwid_markerStopRegion(const char *name) {
    const int i = find(name);
    if (!regions[i].isOpen)
        abort();
    regions[i].isOpen = 0;
    return 0;
}
void likwid_markerGetRegion(const char *name, int *events, double *values, double *seconds, int *calls) {
    const int i = find(name);
    *events = 2;
    values[0] = regions[i].starts;
    values[1] = 1.5 * regions[i].starts;
    *seconds = 0.25;
    *calls = regions[i].starts;
}
void likwid_markerClose(void) {}
int perfmon_getIdOfActiveGroup(void) { return 0; }
char *perfmon_getEventName(int group, int event) { return group == 0 && event == 0 ? "STARTS" : "HALVES"; }
