// The command line of a caller, its rank, and error reports. See sdfgc/rt/caller.h.
#pragma once

#include "sdfgc/rt/caller/rank.h"
#include "sdfgc/rt/npy.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

/// The number of reports of the emulated device; only libraries built with the emulation have this function.
extern "C" __attribute__((weak)) long sdfgc_emulation_reports();

namespace sdfgc::caller {

class Command;

/// An argument of the program: a value or memory.
class Argument {
public:
    explicit Argument(const char *type) : type_(type) {}
    virtual ~Argument() = default;
    Argument(const Argument &) = delete;
    Argument &operator=(const Argument &) = delete;

    /// Takes the value from the command line; empty if there is none. Reports errors in it.
    virtual void take(Command &command, const std::string &given) = 0;
    /// `float64[2 dimensions]`: for --help.
    virtual std::string description() const { return type_; }
    /// The content that can be written to a file; null for values.
    virtual const class Memory *memory() const { return nullptr; }

    std::string name;  // in the graph
    std::string given; // on the command line; empty if not given

protected:
    std::string type_; // of an element: `float64`
};

/// An argument whose content a file can hold.
class Memory : public Argument {
public:
    using Argument::Argument;
    const Memory *memory() const override { return this; }
    virtual bool isNull() const = 0;
    /// The content in the layout of a file: row-major, without gaps.
    virtual npy::Array content() const = 0;
};

class Command {
public:
    struct Named {
        const char *name;
        Argument &argument;
    };
    /// `program` has these arguments, in the order of its C function.
    Command(const char *program, std::initializer_list<Named> arguments) : program_(program) {
        for (const Named &one : arguments) {
            one.argument.name = one.name;
            arguments_.push_back(&one.argument);
        }
    }

    /// Reads the words of the command line and the files that they name. False if the program must not be called: after --help or
    /// an error. status() is then the exit status.
    bool read(int argc, char **argv) {
        for (int i = 1; i < argc; ++i) {
            std::string word = argv[i];
            if (word == "--help" || word == "-h")
                return help();
            const bool isOption = word.compare(0, 2, "--") == 0;
            if (isOption)
                word.erase(0, 2);
            if (isOption && word.find('=') == std::string::npos) {
                if (i + 1 == argc) {
                    misused("--" + word + " needs a value");
                    break;
                }
                word += std::string("=") + argv[++i];
            }
            const bool isOutput = isOption && word.compare(0, 4, "out=") == 0;
            assign(isOutput ? word.substr(4) : word, isOutput);
        }
        if (status_ != 0)
            return false;
        for (Argument *argument : arguments_)
            argument->take(*this, argument->given);
        for (const auto &[argument, file] : outputs_)
            if (argument->memory()->isNull())
                wrong(*argument, "--out takes arrays of the call, and this one is `null`");
        return status_ == 0;
    }

    /// Reports an error in an argument.
    void wrong(const Argument &argument, const std::string &what) { error("argument `" + argument.name + "`: " + what); }
    void error(const std::string &what) {
        say(what);
        status_ = status_ != 0 ? status_ : 1;
    }
    /// The program failed; returns the exit status. A rank exits here: at a regular end MPI would wait for other ranks, which may
    /// be waiting for this one. The launcher then ends them.
    int failed(const std::string &what) {
        error("the program failed: " + what);
        if (ranks_ > 1) {
            std::fflush(nullptr);
            std::_Exit(status_);
        }
        return status_;
    }
    /// Memory that the program keeps until the process ends.
    static char *memory(std::size_t bytes) {
        constexpr std::size_t alignment = 64;
        return static_cast<char *>(std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment));
    }
    int status() const { return status_; }

    /// The program has finished. Writes the files of --out and returns the exit status.
    int write() {
        if (sdfgc_emulation_reports && sdfgc_emulation_reports() != 0)
            error("the emulated device complained; its reports are above");
        for (const auto &[argument, file] : outputs_)
            if (const std::string name = forRank(file, rank_, ranks_); rank_ == 0 || name != file)
                writeFile(name, argument->memory()->content());
        return status_;
    }

    /// Reads the bytes of a file. Reports an error and returns false if it cannot be read.
    bool readFile(const Argument &argument, const std::string &name, std::string &text) {
        std::FILE *file = std::fopen(name.c_str(), "rb");
        bool fine = file != nullptr;
        for (std::size_t got = 1; fine && got != 0;) {
            const std::size_t have = text.size(), block = std::max<std::size_t>(have, 1 << 16);
            text.resize(have + block);
            got = std::fread(&text[have], 1, block, file);
            text.resize(have + got);
            fine = std::ferror(file) == 0;
        }
        if (file)
            std::fclose(file);
        if (!fine)
            wrong(argument, name + " cannot be read");
        return fine;
    }

private:
    /// Takes a word NAME=VALUE.
    void assign(const std::string &word, bool isOutput) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
            return misused("`" + word + "` should be NAME=VALUE");
        const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
        for (Argument *argument : arguments_) {
            if (argument->name != name)
                continue;
            if (!isOutput)
                argument->given = forRank(value, rank_, ranks_);
            else if (!argument->memory())
                misused("--out takes arrays of the call, and `" + name + "` is a value");
            else
                outputs_.emplace_back(argument, value);
            return;
        }
        std::string list;
        for (const Argument *argument : arguments_)
            list += (list.empty() ? "`" : ", `") + argument->name + "`";
        misused("the program has no argument `" + name + "`; its arguments are " + (list.empty() ? "none" : list));
    }

    bool help() {
        std::printf("usage: %s_main [NAME=VALUE...] [--out NAME=FILE.npy...]\n"
                    "values: FILE.npy, a number, zeros, range; null for an array that is not there\narguments:\n",
                    program_);
        for (const Argument *argument : arguments_)
            std::printf("  %s: %s\n", argument->name.c_str(), argument->description().c_str());
        return false;
    }

    void misused(const std::string &what) {
        say(what);
        status_ = 2;
    }

    /// Ranks write concurrently, so each line is written in a single call.
    void say(const std::string &what) const {
        const std::string who = ranks_ > 1 ? "rank " + std::to_string(rank_) + ": " : "";
        std::fputs((std::string(program_) + "_main: error: " + who + what + "\n").c_str(), stderr);
    }

    void writeFile(const std::string &name, const npy::Array &array) {
        std::FILE *file = std::fopen(name.c_str(), "wb");
        bool fine = file != nullptr;
        const std::string header = npy::header(array.dtype, array.shape);
        for (const std::string *part : {&header, &array.data})
            fine = fine && std::fwrite(part->data(), 1, part->size(), file) == part->size();
        if (file && std::fclose(file) != 0)
            fine = false;
        if (!fine)
            error(name + " cannot be written");
    }

    const char *program_;
    std::vector<Argument *> arguments_;
    std::vector<std::pair<const Argument *, std::string>> outputs_; // and the files as named on the command line
    const JobRank job_ = JobRank::ofProcess();
    const int rank_ = job_.isInJob() ? job_.rank : 0, ranks_ = job_.isInJob() ? job_.size : 1;
    int status_ = 0;
};

} // namespace sdfgc::caller
