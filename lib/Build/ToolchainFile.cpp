// The YAML file for --toolchain.
#include "Build/Internal.h"

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Text.h"

#include <yaml-cpp/yaml.h>

namespace sdfgc::build {
namespace {

class ToolchainReader {
public:
    ToolchainReader(std::string path, diag::Engine &diags) : path_(std::move(path)), diags_(diags) {}

    std::optional<ToolchainFile> read() {
        const Result<std::string> text = file::read(path_, 1u << 20);
        if (!text) {
            diags_.report(diag::Id::BuildFileError, {}, text.error());
            return std::nullopt;
        }
        ToolchainFile result;
        try { // yaml-cpp throws exceptions
            root(YAML::Load(*text), result);
        } catch (const YAML::Exception &e) {
            diags_.report(diag::Id::ToolchainSyntax, place(e.mark), e.msg);
            good_ = false;
        }
        return good_ ? std::optional(std::move(result)) : std::nullopt;
    }

private:
    diag::Location place(const YAML::Mark &mark) const {
        diag::Location p;
        p.file = path_;
        if (!mark.is_null()) {
            p.line = mark.line + 1;
            p.column = mark.column + 1;
        }
        return p;
    }

    void wrong(const YAML::Node &node, const std::string &what, const char *expected) {
        diags_.report(diag::Id::ToolchainValue, place(node.Mark()), what, expected);
        good_ = false;
    }

    void unknown(const YAML::Node &key, const std::vector<std::string> &known) {
        std::string hint = "known keys are";
        for (const std::string &k : known)
            hint += (&k == known.data() ? " " : ", ") + k;
        if (const std::string near = diag::nearest(key.Scalar(), known); !near.empty())
            hint = "did you mean `" + near + "`?";
        diags_.report(diag::Id::ToolchainKey, place(key.Mark()), key.Scalar(), hint);
        good_ = false;
    }

    std::vector<std::string> list(const YAML::Node &node, const std::string &what, const char *expected = "a list of flags") {
        std::vector<std::string> result;
        if (!node.IsSequence()) {
            wrong(node, what, expected);
            return result;
        }
        for (const YAML::Node &item : node) {
            if (!item.IsScalar())
                wrong(item, what, expected);
            else
                result.push_back(item.Scalar());
        }
        return result;
    }

    void root(const YAML::Node &node, ToolchainFile &result) {
        if (node.IsNull())
            return; // an empty file has no effect
        if (!node.IsMap())
            return wrong(node, "the file", "a map with the keys compiler, flags, link-flags, libraries, runner");
        for (const auto &item : node) {
            const std::string key = item.first.Scalar();
            if (key == "compiler") {
                if (!item.second.IsScalar() || text::words(item.second.Scalar()).empty())
                    wrong(item.second, key, "the name or path of a compiler");
                else
                    result.compiler = item.second.Scalar();
            } else if (key == "flags") {
                result.compileFlags = list(item.second, key);
            } else if (key == "link-flags") {
                result.linkFlags = list(item.second, key);
            } else if (key == "runner") {
                result.runner = list(item.second, key, "a list of words");
            } else if (key == "libraries") {
                libraries(item.second, result);
            } else {
                unknown(item.first, {"compiler", "flags", "link-flags", "libraries", "runner"});
            }
        }
    }

    void libraries(const YAML::Node &node, ToolchainFile &result) {
        if (!node.IsMap())
            return wrong(node, "libraries", "a map from link names to {flags, link}");
        for (const auto &item : node) {
            Library lib;
            lib.name = item.first.Scalar();
            lib.package = platform::packageOf(lib.name);
            lib.linkFlags = {"-l" + lib.name};
            if (!item.second.IsMap()) {
                wrong(item.second, lib.name, "a map with the keys flags, link");
                continue;
            }
            for (const auto &part : item.second) {
                const std::string key = part.first.Scalar();
                if (key == "flags")
                    lib.compileFlags = list(part.second, key);
                else if (key == "link")
                    lib.linkFlags = list(part.second, key);
                else
                    unknown(part.first, {"flags", "link"});
            }
            result.libraries[lib.name] = std::move(lib);
        }
    }

    const std::string path_;
    diag::Engine &diags_;
    bool good_ = true;
};

} // namespace

std::optional<ToolchainFile> readToolchainFile(const std::string &path, diag::Engine &diags) {
    return ToolchainReader(path, diags).read();
}

} // namespace sdfgc::build
