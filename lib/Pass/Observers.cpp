#include "Pass/Observers.h"
#include "sdfgc/Support/Diff.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Tree/Text.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::pass {
namespace {

bool contains(const std::vector<std::string> &names, const std::string &name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// `, round 2` in a group that is repeated.
std::string roundText(const Event &e) { return e.round > 1 ? ", round " + std::to_string(e.round) : ""; }

} // namespace

std::string positionText(std::size_t position) {
    std::string text = std::to_string(position);
    return text.size() < 2 ? "0" + text : text;
}

void Printer::print(const Program &p, const Event &e, const char *when) {
    *options_.out << "// ---- " << when << ' ' << e.pass.name << " (" << positionText(e.position) << " of " << positionText(e.total)
                  << roundText(e) << ") ----\n";
    *options_.out << options_.print(p);
}

void Printer::before(const Program &p, const Event &e, Context &) {
    if (contains(options_.printBefore, e.pass.name))
        print(p, e, "before");
    if (options_.printAfterChange)
        textBefore_ = options_.print(p);
}

void Printer::after(const Program &p, const Event &e, bool, Context &) {
    if (options_.printAfterAll || contains(options_.printAfter, e.pass.name))
        print(p, e, "after");
    if (!options_.printAfterChange)
        return;
    std::string diff = unifiedDiff(textBefore_, options_.print(p), "before " + e.pass.name, "after " + e.pass.name);
    *options_.out << "// ---- " << (diff.empty() ? "no change by " : "change by ") << e.pass.name << " ("
                  << positionText(e.position) << " of " << positionText(e.total) << roundText(e) << ") ----\n"
                  << diff;
}

void Printer::failed(const Program &p, const Event &e, Context &) {
    if (options_.printAfterFailure)
        print(p, e, "after failure of");
}

namespace {

constexpr std::string_view graphSuffix = ".sdfg", treeSuffix = tree::fileSuffix;

/// The position in the name of a dumped file, `05-infer-types.sdfg` or `05-infer-types.2.sdfg`; nothing for other names.
std::optional<std::size_t> dumpPosition(const std::string &name) {
    std::size_t digits = 0, position = 0;
    while (digits < name.size() && digits < 6 && name[digits] >= '0' && name[digits] <= '9')
        position = position * 10 + static_cast<std::size_t>(name[digits++] - '0');
    const bool is =
        digits >= 2 && name.size() > digits && name[digits] == '-' && (name.ends_with(graphSuffix) || name.ends_with(treeSuffix));
    return is ? std::optional(position) : std::nullopt;
}

} // namespace

bool Dumper::prepareFolder(Context &c) {
    auto failed = [&](const std::string &why) {
        c.diags.report(diag::Id::DumpFailed, {}, why);
        return false;
    };
    if (Result<void> made = file::makeFolder(options_.dumpDir); !made)
        return failed(made.error());
    Result<std::vector<std::string>> names = file::list(options_.dumpDir);
    if (!names)
        return failed(names.error());
    std::erase_if(*names, [](const std::string &name) { return name.starts_with('.'); });
    for (const std::string &name : *names)
        if (!dumpPosition(name))
            return failed(options_.dumpDir + " holds `" + name +
                          "`, which is no dumped program; give a folder that is new or holds dumps only");
    Result<std::optional<file::Lock>> lock = file::Lock::acquire(file::join(options_.dumpDir, ".lock"), 0);
    if (!lock)
        return failed(lock.error());
    lock_ = std::move(*lock);
    if (!lock_)
        return failed("another run is writing to " + options_.dumpDir);
    const std::string input = file::absolute(c.options.file); // may itself be one of the dumps
    for (const std::string &name : *names) {
        const std::string path = file::join(options_.dumpDir, name);
        if (*dumpPosition(name) <= first_ || file::absolute(path) == input)
            continue;
        if (Result<void> removed = file::removeTree(path); !removed)
            return failed(removed.error());
    }
    return true;
}

void Dumper::begin(const Program &p, Context &c) {
    if (!prepareFolder(c))
        return;
    const std::string path = file::join(options_.dumpDir, positionText(0) + "-input.sdfg");
    if (first_ == 0 || !file::exists(path)) // a run that starts later may read its input from this folder
        options_.save(p, path);
}

void Dumper::after(const Program &p, const Event &e, bool, Context &) {
    const std::string round = e.round > 1 ? "." + std::to_string(e.round) : "";
    const std::string suffix(p.tree ? treeSuffix : graphSuffix);
    options_.save(p, file::join(options_.dumpDir, positionText(e.position) + "-" + e.pass.name + round + suffix));
}

} // namespace sdfgc::pass
