// Zip archives in memory (APPNOTE 6.3.10), for `sdfgc package`. Every zip program reads what write() makes: members in
// the order of their names, without time stamps, so equal contents give equal bytes.
//
// read() accepts only what write() makes. The records of an archive tell everything twice; programs that believe
// different copies see different files. Here, all copies must agree, members must lie side by side and fill the file,
// and nothing else may be in it. A member is a regular file below the folder of the archive: absolute names, `..` and
// links are errors.
#pragma once

#include "sdfgc/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::zip {

struct Member {
    std::string name; // with `/` between its parts
    std::string content;
    bool isExecutable = false;
    friend bool operator==(const Member &, const Member &) = default;
};

/// Is it a name of a file below a folder, on every system: relative, without empty parts, `.`, `..`, `\`, `:` and
/// control characters?
bool isPlainName(std::string_view name);

/// Returns an archive. Fails for names that are not plain or occur twice, and beyond 65535 members or 4 GiB.
Result<std::string> write(std::vector<Member> members);

/// Returns the members, in the order of their names. Fails if anything is wrong, and if the contents have more than
/// `maxBytes` together; never allocates more than a thousand times the size of the archive.
Result<std::vector<Member>> read(std::string_view archive, std::uint64_t maxBytes);

} // namespace sdfgc::zip
