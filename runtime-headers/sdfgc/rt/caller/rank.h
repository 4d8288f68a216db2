// The rank of a process in a job. sdfgc itself uses these functions, too.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace sdfgc::caller {

/// The rank and the number of ranks, from the launcher's environment variables; -1 and 0 outside of a job.
struct JobRank {
    int rank = -1, size = 0;
    bool isInJob() const { return rank >= 0; }
    static JobRank ofProcess() {
        const auto variable = [](const char *name) {
            const char *value = std::getenv(name);
            return value && *value >= '0' && *value <= '9' ? std::atoi(value) : -1;
        };
        constexpr std::pair<const char *, const char *> launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                                       {"PMI_RANK", "PMI_SIZE"},
                                                                       {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                                                       {"SLURM_PROCID", "SLURM_NTASKS"}};
        for (const auto &[rank, size] : launchers)
            if (variable(rank) >= 0 && variable(size) > 0)
                return {variable(rank), variable(size)};
        return {};
    }
};

/// `text` with `{rank}` and `{ranks}` replaced by the numbers.
inline std::string forRank(std::string text, int rank, int ranks) {
    const std::pair<std::string_view, int> numbers[] = {{"{rank}", rank}, {"{ranks}", ranks}};
    for (const auto &[mark, number] : numbers)
        for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;)
            text.replace(at, mark.size(), std::to_string(number));
    return text;
}

} // namespace sdfgc::caller
