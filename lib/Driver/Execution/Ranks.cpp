#include "Driver/Execution/Ranks.h"

#include "Driver/CommandLine/Words.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Support/Resources.h"

#include <ostream>
#include <thread>
#include <unistd.h>

namespace sdfgc::driver {
namespace {

/// The words of this process's command line.
std::vector<std::string> ownCommand() {
    std::vector<std::string> words;
    if (const Result<std::string> text = file::read("/proc/self/cmdline"))
        for (std::size_t at = 0; at < text->size();) {
            const std::size_t end = std::min(text->find('\0', at), text->size());
            words.push_back(text->substr(at, end - at));
            at = end + 1;
        }
    if (!words.empty())
        words.front() = executablePath();
    return words;
}

/// The launcher's words, without the command to launch; empty if there is none.
std::vector<std::string> launcherWords(int ranks, const std::string &launcher) {
    if (!launcher.empty())
        return splitWords(forRank(launcher, 0, ranks));
    for (const char *program : {"mpirun", "mpiexec"})
        if (const std::string found = process::find(program); !found.empty())
            return {found, "-n", std::to_string(ranks)};
    return {};
}

} // namespace

void launchRanks(Session &s, int ranks, const std::string &launcher) {
    process::Command command;
    command.argv = launcherWords(ranks, launcher);
    if (command.argv.empty() || process::find(command.argv.front()).empty()) {
        s.diags.report(diag::Id::LauncherMissing, {}, ranks,
                       command.argv.empty() ? "neither mpirun nor mpiexec is on PATH"
                                            : "`" + command.argv.front() + "` does not exist");
        return;
    }
    for (std::string &word : ownCommand())
        command.argv.push_back(std::move(word));
    command.argv.emplace_back("--quiet"); // the program has been built, and this was reported
    // Without these options, Open MPI refuses to run as root, or more ranks than processors; other launchers do not know them.
    if (::geteuid() == 0)
        command.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    if (static_cast<unsigned>(ranks) > std::thread::hardware_concurrency())
        command.environment.emplace_back("OMPI_MCA_rmaps_base_oversubscribe", "1");
    s.log().info("starting {}", process::quoted(command.argv));
    s.environment.out.flush();
    const process::Outcome job = process::run(command);
    s.environment.out << job.out;
    s.environment.err << job.err;
    if (!job.ok() && !process::Set::interrupted())
        s.diags.report(diag::Id::ProgramFailed, {}, "the job of " + std::to_string(ranks) + " ranks ended with " + job.describe());
}

} // namespace sdfgc::driver
