#include "sdfgc/Build/Archive.h"

#include "Build/Record.h"
#include "sdfgc/Support/Sha256.h"
#include "sdfgc/Support/Zip.h"

#include <algorithm>
#include <set>

namespace sdfgc::build {
namespace {

using json::Value;

constexpr const char *descriptionFile = "package.json", *formatName = "sdfgc package", *manifestFile = "manifest.json";
constexpr int formatVersion = 1;
constexpr std::uint64_t largestShipment = std::uint64_t{1} << 32; // bytes of all files

std::string memberText(const Value &v, const char *key) {
    const Value *member = v.get(key);
    return member && member->isString() ? member->text() : "";
}

/// The architecture in the header of an ELF file, as uname names it.
std::string machineOf(const std::string &library) {
    constexpr std::size_t machineAt = 18;
    if (library.size() <= machineAt + 1 || !library.starts_with("\x7f"
                                                                "ELF"))
        return "unknown";
    const int machine = static_cast<unsigned char>(library[machineAt]) | static_cast<unsigned char>(library[machineAt + 1]) << 8;
    return machine == 62 ? "x86_64" : machine == 183 ? "aarch64" : machine == 243 ? "riscv64" : "elf-" + std::to_string(machine);
}

Value describe(const std::vector<zip::Member> &members, const Value &manifest, const std::string &signature) {
    Value files = Value::object(), out = Value::object();
    for (const zip::Member &m : members) {
        Value file = Value::object();
        file.set("size", static_cast<std::uint64_t>(m.content.size()));
        file.set("sha256", sha256(m.content));
        files.set(m.name, std::move(file));
        if (m.name == memberText(manifest, "library"))
            out.set("machine", machineOf(m.content));
    }
    out.set("format", formatName);
    out.set("version", formatVersion);
    for (const char *key : {"name", "sdfgc", "target", "cpu", "library"})
        if (const Value *v = manifest.get(key))
            out.set(key, *v);
    out.set("signature", signature);
    out.set("files", std::move(files));
    return out;
}

/// Is the file what the build made of files that are still the same?
bool isCurrent(const Folder &folder, const Record &record, const std::string &output) {
    const auto step = record.steps.find(output);
    if (step == record.steps.end() || stampText(file::stamp(file::join(folder.path(), output))) != step->second.outputStamp)
        return false;
    return std::all_of(step->second.inputs.begin(), step->second.inputs.end(), [&](Input input) {
        if (input.path.starts_with('/') || input.hash.empty())
            return true; // a header of the system; or the folder was filled from elsewhere
        if (record.steps.count(input.path))
            return isCurrent(folder, record, input.path);
        return isUnchanged(input, file::join(folder.path(), input.path));
    });
}

std::string signatureOf(const Folder &folder) {
    const Result<std::string> text = file::readRegular(folder.statePath("origin"), 1 << 20);
    const std::size_t begin = text ? text->find('\n') : std::string::npos;
    return begin == std::string::npos ? "" : text->substr(begin + 1, text->find('\n', begin + 1) - begin - 1);
}

/// Every file but the description, or why there is no archive.
Result<std::vector<zip::Member>> membersOf(const Folder &folder, const std::string &library, const package::Files &licences) {
    const Record record = readRecord(folder.statePath("build.json"));
    if (!isCurrent(folder, record, library))
        return Failure{file::exists(file::join(folder.path(), library)) ? "files in it have changed since its library was built"
                                                                        : "it has no library"};
    const std::optional<std::set<std::string>> written = package::writtenFiles(folder.path());
    std::set<std::string> names = written.value_or(std::set<std::string>());
    std::set<std::string> programs{library};
    for (const std::string &program :
         {package::callerProgram(folder.name()), package::daceStubLibrary(folder.name()), package::staticLibrary(folder.name())})
        if (record.steps.count(program)) {
            if (!isCurrent(folder, record, program))
                return Failure{program + " has changed since it was built"};
            programs.insert(program);
        }
    names.insert(programs.begin(), programs.end());
    names.insert(manifestFile);
    std::vector<zip::Member> out;
    for (const std::string &name : names) {
        Result<std::string> content = file::readRegular(file::join(folder.path(), name), largestShipment);
        if (!content)
            return Failure{content.error()};
        out.push_back({name, std::move(*content), programs.count(name) > 0});
    }
    for (zip::Member &m : out)
        m.isExecutable = m.isExecutable && !m.name.ends_with(".a");
    for (const auto &[name, text] : licences)
        out.push_back({"licences/" + name, text, false});
    return out;
}

/// The members are those that the description names, with these contents. Empty, or what is wrong.
std::string mismatch(const std::vector<zip::Member> &members, const Value &description) {
    const Value *files = description.get("files");
    if (!files || !files->isObject() || files->members().size() + 1 != members.size())
        return "package.json does not list the files";
    for (const zip::Member &m : members) {
        if (m.name == descriptionFile)
            continue;
        const Value *file = files->get(m.name);
        if (!file || memberText(*file, "sha256") != sha256(m.content))
            return m.name + " is not the file that was packaged";
        if (m.name.starts_with(".sdfgc"))
            return m.name + " would replace the state of the build folder";
    }
    return "";
}

} // namespace

std::optional<std::string> packBuild(const std::string &path, const package::Files &licences, diag::Engine &diags) {
    const auto fail = [&](const std::string &why) {
        diags.report(diag::Id::PackageIncomplete, {}, path, why);
        return std::nullopt;
    };
    const Result<std::string> text = file::readRegular(file::join(path, manifestFile), largestShipment);
    const std::optional<Value> manifest = text ? json::parse(*text) : std::nullopt;
    const std::string name = manifest ? memberText(*manifest, "name") : "",
                      library = manifest ? memberText(*manifest, "library") : "";
    if (name.empty() || !zip::isPlainName(library) || !file::exists(file::join(path, ".sdfgc")))
        return fail("it is not a build folder of sdfgc");
    const std::optional<Folder> folder = Folder::open(path, name, diags);
    if (!folder)
        return std::nullopt;
    Result<std::vector<zip::Member>> members = membersOf(*folder, library, licences);
    if (!members)
        return fail(members.error());
    members->push_back({descriptionFile, describe(*members, *manifest, signatureOf(*folder)).dump(1) + "\n", false});
    Result<std::string> archive = zip::write(std::move(*members));
    if (!archive)
        return fail(archive.error());
    const std::string processor = memberText(*manifest, "cpu");
    if (processor == "native")
        diags.report(diag::Id::PackageNative, {}, name);
    return std::move(*archive);
}

Result<UnpackedBuild> unpackBuild(std::string_view archive) {
    Result<std::vector<zip::Member>> members = zip::read(archive, largestShipment);
    if (!members)
        return Failure{members.error()};
    const auto find = [&](std::string_view name) {
        const auto m = std::find_if(members->begin(), members->end(), [&](const zip::Member &each) { return each.name == name; });
        return m == members->end() ? std::nullopt : json::parse(m->content);
    };
    const std::optional<Value> description = find(descriptionFile), manifest = find(manifestFile);
    if (!description || memberText(*description, "format") != formatName || !manifest)
        return Failure{"it is a zip archive of something else"};
    const Value *version = description->get("version");
    if (!version || version->asInt() != formatVersion)
        return Failure{"it was written by another version of sdfgc, in a format that this one does not know"};
    if (const std::string fault = mismatch(*members, *description); !fault.empty())
        return Failure{fault};
    UnpackedBuild out;
    out.name = memberText(*manifest, "name");
    out.signature = memberText(*description, "signature");
    if (out.name.find('/') != std::string::npos || !zip::isPlainName(out.name) ||
        memberText(*manifest, "library") != "lib/lib" + out.name + ".so" ||
        !description->get("files")->get("lib/lib" + out.name + ".so"))
        return Failure{"it has no library"};
    for (zip::Member &m : *members)
        if (m.name != descriptionFile)
            out.entry.files.push_back({m.name, std::move(m.content), m.isExecutable || m.name == package::staticLibrary(out.name)});
    return out;
}

} // namespace sdfgc::build
