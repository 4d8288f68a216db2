// Shared by the tests of Build: a temporary folder, and compilers that are shell scripts.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

#include <sys/stat.h>

namespace fixture {

class Folder {
public:
    Folder() : made_(sdfgc::file::TemporaryFolder::create("sdfgc-build-test")) { REQUIRE(made_); }
    std::string operator/(const std::string &name) const { return sdfgc::file::join(made_->path(), name); }
    const std::string &path() const { return made_->path(); }
    /// Writes a file below the folder.
    void write(const std::string &name, const std::string &text) const {
        REQUIRE(sdfgc::file::makeFolder(sdfgc::file::folderOf(*this / name)));
        REQUIRE(sdfgc::file::writeAtomic(*this / name, text));
    }
    std::string script(const std::string &name, const std::string &body) const {
        write(name, "#!/bin/sh\n" + body);
        REQUIRE(::chmod((*this / name).c_str(), 0755) == 0);
        return *this / name;
    }

private:
    sdfgc::Result<sdfgc::file::TemporaryFolder> made_;
};

/// Sets an environment variable for the lifetime of the object.
class Variable {
public:
    Variable(const char *name, const std::string &value) : name_(name) {
        if (const char *old = std::getenv(name))
            old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

private:
    const char *name_;
    std::optional<std::string> old_;
};

/// `CODE: message` of each diagnostic, hints in parentheses.
inline std::string messages(const sdfgc::diag::Engine &diags) {
    std::string text;
    for (const auto &d : diags.sorted())
        text += std::string(sdfgc::diag::info(d.id).code) + ": " + d.message + (d.hint.empty() ? "" : " (" + d.hint + ")") + "\n";
    return text;
}

} // namespace fixture
