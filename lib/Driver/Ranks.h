// sdfgc run on several ranks: as processes that the launcher of an MPI starts, or as threads of one.
#pragma once

#include "Driver/Session.h"
#include "sdfgc/rt/caller/rank.h"

#include <string>
#include <vector>

namespace sdfgc::driver {

using caller::forRank;
using caller::JobRank;

/// Calls this command again under the launcher, on `ranks` ranks, and waits. `launcher` is its command with `{ranks}` for their
/// number; empty: mpirun or mpiexec from PATH, told to take root and more ranks than processors. Reports a launcher that is not there,
/// and a job that fails.
void launchRanks(Session &session, int ranks, const std::string &launcher);

} // namespace sdfgc::driver
