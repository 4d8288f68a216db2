// A job of emulated ranks in one process, for tests.
#pragma once

#include "sdfgc/rt/mpi.h"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace sdfgc::mpi::test {

/// The result of a job: the errors of its ranks, and the errors of the job as a whole.
struct Result {
    std::vector<std::string> errors; // per rank; empty: none
    std::string report;
    bool isFine() const {
        for (const std::string &e : errors)
            if (!e.empty())
                return false;
        return report.empty();
    }
};

/// Runs `body` on every rank, with a separate program each.
inline Result job(int ranks, std::uint64_t seed, const std::function<void(Program &)> &body) {
    struct Data {
        const std::function<void(Program &)> &body;
        std::vector<std::string> errors;
    } data{body, std::vector<std::string>(static_cast<std::size_t>(ranks))};
    const auto run = [](int rank, void *p) {
        Data &d = *static_cast<Data *>(p);
        try {
            Program program;
            program.open();
            d.body(program);
        } catch (const std::exception &e) {
            d.errors[static_cast<std::size_t>(rank)] = e.what();
            return 1;
        }
        return 0;
    };
    char report[4096];
    sdfgc_mpi_emulate(ranks, seed, run, &data, report, sizeof report);
    return {data.errors, report};
}

} // namespace sdfgc::mpi::test
