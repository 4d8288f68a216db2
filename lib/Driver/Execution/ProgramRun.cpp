#include "Driver/Execution/ProgramRun.h"

#include "Driver/Compilation/SourceMap.h"
#include "Driver/Crash.h"
#include "Driver/Execution/Ranks.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Build/Cache.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Hash.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Validate/Inputs.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace sdfgc::driver {
namespace {

using diag::Id;

std::string hexadecimal(uint64_t n) {
    char text[20];
    return "0x" + std::string(text, std::to_chars(text, text + sizeof text, n, 16).ptr);
}

/// Splits `main.cpp:12` at the last colon into the line and the text before it.
std::optional<std::pair<std::string, int>> fileAndLine(const std::string &text) {
    const std::size_t colon = text.rfind(':');
    int line = 0;
    if (colon == std::string::npos || std::from_chars(text.data() + colon + 1, text.data() + text.size(), line).ec != std::errc() ||
        line < 1)
        return std::nullopt;
    return std::pair(text.substr(0, colon), line);
}

/// The innermost frame of a crash whose line is in one of our sources. Requires addr2line (from binutils, which compilers include).
diag::Location placeOfCrash(const Compiled &made, const std::vector<uint64_t> &frames) {
    const std::string program = process::find("addr2line");
    if (program.empty() || frames.empty())
        return {};
    process::Command command{{program, "-i", "-e", made.library}, {}, {}, false};
    for (uint64_t frame : frames)
        command.argv.push_back(hexadecimal(frame));
    const process::Outcome asked = process::run(command, {30});
    for (std::size_t at = 0; asked.ok() && at < asked.out.size();) {
        const std::size_t end = std::min(asked.out.find('\n', at), asked.out.size());
        const auto where = fileAndLine(asked.out.substr(at, end - at));
        at = end + 1;
        for (const codegen::SourceFile &f : made.sources.files) {
            if (!where || !(where->first == f.path || where->first.ends_with("/" + f.path)))
                continue;
            diag::Location place = SourceMap(made).elementAt(f.path, where->second);
            place.file = file::join(made.folder, f.path);
            place.line = where->second;
            return place;
        }
    }
    return {};
}

std::string signalText(int signal) { return std::string(::strsignal(signal)) + " (signal " + std::to_string(signal) + ")"; }

} // namespace

void ProgramArguments::addTo(CommandLine &line) {
    line.group("Arguments of the program");
    line.texts(
        "--arg", given_, "NAME=VALUE",
        "set an argument: FILE.npy, a number (for every element of an array), `zeros`, `range`, `random`, `random:LOW:HIGH`, "
        "`same:NAME` (the memory of another array) or `null`; "
        "symbols may be left to the shapes of arrays");
    line.text("--input", folder_, "DIR",
              "read arguments from DIR/NAME.npy and from lines NAME=VALUE of DIR/values; --arg takes precedence");
    line.text("--default", otherwise_, "VALUE",
              "value of arrays and scalars that are not given (default: zeros for arrays that are only written, else none)");
    line.number("--seed", seed_, "N", "seed for random numbers", 0);
}

void ProgramArguments::lookAt(const Input &program) {
    if (program.graph)
        for (const auto &[name, access] : analysis::containerAccess(*program.graph))
            if (access.written && !access.read)
                written_.insert(name);
    if (program.tree)
        for (const tree::Param &p : program.tree->params)
            if (p.written && !p.read)
                written_.insert(p.name);
}

std::optional<run::Given> splitGiven(Session &s, const std::string &option, const std::string &text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        s.diags.report(Id::OptionValueUnknown, {}, text, option, "it is written NAME=VALUE");
        return std::nullopt;
    }
    return run::Given{text.substr(0, equals), text.substr(equals + 1)};
}

std::optional<run::Arguments> ProgramArguments::prepare(Session &s, const tree::Module &interface, int rank, int ranks) const {
    crash::setActivity("preparing arguments");
    run::ArgumentOptions options;
    options.otherwise = otherwise_;
    options.written = written_;
    options.seed = static_cast<uint64_t>(seed_ + rank);
    if (!folder_.empty()) {
        Result<std::vector<run::Given>> read = validate::readInput(forRank(folder_, rank, ranks));
        const std::set<Name> known = run::valuesOf(interface);
        if (read) // an argument removed by passes is not an error
            std::copy_if(read->begin(), read->end(), std::back_inserter(options.given),
                         [&](const run::Given &g) { return known.count(Name(g.name)) != 0; });
        else
            s.diags.report(Id::InputFailed, {}, read.error()).hint = // of a user who meant a single file
                folder_.find('=') != std::string::npos ? "`--arg NAME=FILE.npy` gives one argument" : "";
    }
    for (const std::string &text : given_)
        if (std::optional<run::Given> one = splitGiven(s, "--arg", forRank(text, rank, ranks)))
            options.given.push_back(std::move(*one));
    if (s.failed())
        return std::nullopt;
    return run::prepare(interface, options, s.diags);
}

bool reportCall(Session &s, const Compiled *made, const run::CallResult &r, const std::vector<std::string> &notes) {
    using Status = run::CallResult::Status;
    const auto reported = [&notes](diag::Diagnostic &d) {
        for (const std::string &note : notes)
            d.notes.push_back({{}, note});
        return false;
    };
    auto failed = [&](const std::string &what) { return reported(s.diags.report(Id::ProgramFailed, {}, what)); };
    const std::string where = r.rank < 0 ? "" : " on rank " + std::to_string(r.rank);
    switch (r.status) {
    case Status::Done:
        return true;
    case Status::NotLoaded:
        return failed("it cannot be loaded: " + r.message);
    case Status::NotStarted:
        return failed(r.message);
    case Status::InitFailed:
        return failed(r.message.empty() ? "its initialiser returned no handle"
                                        : "its initialiser returned no handle: " + r.message);
    case Status::Error:
        return failed(r.message.empty() ? "it reported an error without a message" : r.message);
    case Status::ExitFailed:
        return failed("its finaliser reported an error: " + r.message);
    case Status::Complained:
        failed("the emulated device reported errors " + (r.message == "1" ? "once" : r.message + " times") +
               "; its reports are above");
        return true; // there are results anyway
    case Status::Exited:
        return failed("it ended the process with status " + std::to_string(r.signal) + where);
    case Status::TimedOut:
        return failed("it took longer than --timeout allows" + where);
    case Status::Crashed:
        break;
    }
    return reported(
        s.diags.report(Id::ProgramCrashed, made ? placeOfCrash(*made, r.frames) : diag::Location(), signalText(r.signal) + where));
}

std::string runFolder(const std::string &input, const std::string &key) {
    std::string base = build::userCacheFolder();
    if (base.empty()) {
        const char *temporary = std::getenv("TMPDIR");
        base = file::join(temporary && *temporary ? temporary : "/tmp", "sdfgc-cache/sdfgc");
    }
    std::string name = file::nameOf(input);
    name = input == "-" ? "stdin" : name.substr(0, name.find('.'));
    return file::join(base, "run/" + name + "-" +
                                hashOf((input == "-" ? input : file::absolute(input)) + '\0' + key).hex().substr(0, 16));
}

} // namespace sdfgc::driver
