// Calls a program for another machine: its caller (Package/Caller.cpp) runs under an emulator, and arguments and results are files.
#include "Run/Foreign.h"

#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"

#include <cstdio>

namespace sdfgc::run {
namespace {

using Status = CallResult::Status;

class ForeignCall {
public:
    ForeignCall(const Arguments &arguments, const CallOptions &options, std::string folder)
        : arguments_(arguments), options_(options), folder_(std::move(folder)) {}

    CallResult run() {
        process::Command command{options_.runner, {}, {}, false};
        command.argv.push_back(options_.caller);
        for (const Argument &a : arguments_.all)
            if (!give(a, command.argv))
                return std::move(result_);
        const process::Outcome done = process::run(command, {options_.seconds});
        std::fwrite(done.out.data(), 1, done.out.size(), stdout);
        std::fwrite(done.err.data(), 1, done.err.size(), stderr);
        std::fflush(nullptr);
        result_.seconds.push_back(done.seconds);
        if (done.ok())
            takeResults();
        else
            describe(done);
        return std::move(result_);
    }

private:
    bool fail(const std::string &why) {
        result_.status = Status::NotStarted;
        result_.message = why;
        return false;
    }

    std::string input(const Argument &a) const { return file::join(folder_, a.name.str() + ".npy"); }
    std::string output(const Argument &a) const { return file::join(folder_, a.name.str() + ".out.npy"); }

    bool give(const Argument &a, std::vector<std::string> &words) {
        const std::string name = a.name.str() + "=";
        if (a.isStructure)
            return fail("`" + a.name.str() + "` is a structure, which cannot be given to a program for another machine");
        if (a.isNull) {
            words.push_back(name + "null");
            return true;
        }
        if (a.sharesWith)
            return fail("`" + a.name.str() + "` shares memory with `" + arguments_.all[*a.sharesWith].name.str() +
                        "`, which is not possible in a program for another machine");
        const NpyArray content = a.isArray ? gather(a, a.data) : NpyArray{a.dtype, {}, a.data};
        if (const Result<void> written = file::writeAtomic(input(a), npyText(content)); !written)
            return fail(written.error());
        words.push_back(name + input(a));
        if (a.isArray)
            words.insert(words.end(), {"--out", name + output(a)});
        return true;
    }

    void describe(const process::Outcome &done) {
        if (!done.started)
            fail(done.error);
        else if (done.timedOut)
            result_.status = Status::TimedOut;
        else if (done.signal != 0) {
            result_.status = Status::Crashed;
            result_.signal = done.signal;
        } else {
            result_.status = Status::Exited;
            result_.signal = done.exitCode;
        }
    }

    /// Arrays as the program has left them; padding keeps its contents.
    void takeResults() {
        for (const Argument &a : arguments_.all) {
            result_.memory.push_back(a.data);
            if (!a.isArray || a.isNull || !file::exists(output(a)))
                continue;
            const Result<std::string> text = file::read(output(a));
            const Result<NpyArray> content = text ? parseNpy(*text) : Result<NpyArray>(Failure{text.error()});
            if (!content) {
                fail(content.error());
                return;
            }
            scatter(a, content->data, result_.memory.back());
        }
    }

    static void scatter(const Argument &a, std::string_view elements, std::string &memory) {
        const std::size_t size = static_cast<std::size_t>(a.dtype.size) * static_cast<std::size_t>(a.lanes);
        std::size_t at = 0;
        forEachElement(a.shape, a.strides, [&](int64_t offset) {
            memory.replace(static_cast<std::size_t>(offset) * size, size, elements.substr(at, size));
            at += size;
        });
    }

    const Arguments &arguments_;
    const CallOptions &options_;
    const std::string folder_;
    CallResult result_;
};

} // namespace

CallResult callForeign(const Arguments &arguments, const CallOptions &options) {
    const Result<file::TemporaryFolder> folder = file::TemporaryFolder::create();
    if (folder)
        return ForeignCall(arguments, options, folder->path()).run();
    CallResult failed;
    failed.status = Status::NotStarted;
    failed.message = folder.error();
    return failed;
}

} // namespace sdfgc::run
