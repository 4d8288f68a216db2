#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Tree/Text.h"
#include "sdfgc/Validate/Validator.h"

namespace sdfgc::validate {

namespace {

std::string fileName(const std::string &stem, const ProgramText &p) {
    return stem + (p.isTree ? std::string(tree::fileSuffix) : ".sdfgt");
}

/// Graphs are searched and reduced; trees are not.
std::string commands(const Reproducer &r, const std::string &before, const std::string &after) {
    const std::string options = r.options + " --passes " + process::quoted({r.pass});
    const std::string validated = options + (r.judging.empty() ? "" : " " + r.judging);
    std::string out = "# What the program does before and after the pass:\n"
                      "sdfgc run --interpret " +
                      before +
                      " --input input\n"
                      "sdfgc run --interpret " +
                      after +
                      " --input input\n"
                      "# Validates the pass again:\n";
    if (!r.after.isTree)
        out += "sdfgc bisect " + before + " --expect interpreter --input input " + options + "\n";
    out += "sdfgc opt --validate " + before + " " + validated + " -o " + after + "\n";
    if (!r.before.isTree)
        out += "# The smallest graph that it changes:\n"
               "sdfgc reduce " +
               before + " --differ passes --options " + process::quoted({validated}) + "\n";
    return out;
}

} // namespace

Result<void> writeReproducer(const Reproducer &r, const std::string &folder) {
    const std::string inputs = file::join(folder, "input");
    if (Result<void> removed = file::removeTree(inputs); !removed)
        return removed;
    if (Result<void> made = file::makeFolder(inputs); !made)
        return made;
    const std::string before = fileName("before", r.before), after = fileName("after", r.after);
    for (const auto &[name, text] : {std::pair<std::string, std::string>(before, r.before.text),
                                     {after, r.after.text},
                                     {"command", commands(r, before, after)}})
        if (Result<void> done = file::writeAtomic(file::join(folder, name), text); !done)
            return done;
    return writeInput(r.input, inputs);
}

} // namespace sdfgc::validate
