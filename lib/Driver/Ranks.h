// sdfgc run on several ranks: as processes that the launcher of an MPI starts, or as threads of one.
#pragma once

#include "Driver/Session.h"

#include <string>
#include <vector>

namespace sdfgc::driver {

/// What launchers tell a process of theirs, by environment variables; -1 and 0 outside of a job.
struct JobRank {
    int rank = -1, size = 0;
    bool isInJob() const { return rank >= 0; }
    static JobRank ofProcess();
};

/// `text` with the numbers in place of `{rank}` and `{ranks}`.
std::string forRank(std::string text, int rank, int ranks);

/// Calls this command again under the launcher, on `ranks` ranks, and waits. `launcher` is its command with `{ranks}` for their
/// number; empty: mpirun or mpiexec from PATH, told to take root and more ranks than processors. Reports a launcher that is not there,
/// and a job that fails.
void launchRanks(Session &session, int ranks, const std::string &launcher);

} // namespace sdfgc::driver
