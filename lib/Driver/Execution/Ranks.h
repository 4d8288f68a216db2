// sdfgc run on several ranks: as processes started by an MPI launcher, or as threads of one process.
#pragma once

#include "Driver/Session.h"
#include "sdfgc/rt/caller/rank.h"

#include <string>
#include <vector>

namespace sdfgc::driver {

using caller::forRank;
using caller::JobRank;

/// Runs this command again under the launcher, on `ranks` ranks, and waits. `launcher` is its command, with `{ranks}` for their
/// number; empty: mpirun or mpiexec from PATH, with options that permit root and more ranks than processors. Reports a missing
/// launcher and a failed job.
void launchRanks(Session &session, int ranks, const std::string &launcher);

} // namespace sdfgc::driver
