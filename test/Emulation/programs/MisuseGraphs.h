// Misuses of graphs, called by Misuse.cpp.
#pragma once

/// Returns false if there is no misuse with this name.
bool misuseGraphs(const char *name);
