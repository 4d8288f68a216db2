// What Misuse.cpp calls for misuses of graphs.
#pragma once

/// False if there is none of this name.
bool misuseGraphs(const char *name);
