#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Validate/Validator.h"

namespace sdfgc::validate {

Result<void> writeReproducer(const Reproducer &r, const std::string &folder) {
    const std::string inputs = file::join(folder, "input");
    if (Result<void> removed = file::removeTree(inputs); !removed)
        return removed;
    if (Result<void> made = file::makeFolder(inputs); !made)
        return made;
    const std::string options = r.target + " --passes " + process::quoted({r.pass});
    const std::string command = "# What the program does before and after the pass:\n"
                                "sdfgc run --interpret before.sdfgt --input input\n"
                                "sdfgc run --interpret after.sdfgt --input input\n"
                                "# The pass, judged again, with this input and with others:\n"
                                "sdfgc bisect before.sdfgt --expect interpreter --input input " +
                                options + "\nsdfgc opt --validate before.sdfgt " + options +
                                " -o after.sdfgt\n"
                                "# The smallest graph that it changes:\n"
                                "sdfgc reduce before.sdfgt --differ passes --options " +
                                process::quoted({options}) + "\n";
    for (const auto &[name, text] : {std::pair<std::string, std::string>("before.sdfgt", serialize::print(r.before)),
                                     {"after.sdfgt", serialize::print(r.after)},
                                     {"command", command}})
        if (Result<void> done = file::writeAtomic(file::join(folder, name), text); !done)
            return done;
    return writeInput(r.input, inputs);
}

} // namespace sdfgc::validate
