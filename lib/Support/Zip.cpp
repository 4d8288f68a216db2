// Written here on top of zlib and not taken from a library. A package must be less than what libzip and minizip read: no links, no names
// that lead elsewhere, no wrong sizes, no gaps. Each member would be checked beside them. Equal files must also give equal bytes, whatever
// version of a library is installed; and libzip loads bzip2, lzma, zstd and OpenSSL whenever sdfgc starts.
#include "sdfgc/Support/Zip.h"

#include <algorithm>
#include <optional>
#include <set>
#include <zlib.h>

namespace sdfgc::zip {
namespace {

constexpr std::uint32_t localSignature = 0x04034b50, centralSignature = 0x02014b50, endSignature = 0x06054b50;
constexpr std::size_t centralBytes = 46, endBytes = 22;       // without names
constexpr std::uint16_t zipVersion = 20, madeByUnix = 3 << 8; // folders and deflation; modes of files
constexpr std::uint16_t utf8Names = 1 << 11;
constexpr std::uint16_t methodStored = 0, methodDeflated = 8;
constexpr std::uint16_t noTime = 0, noDate = 1 << 5 | 1; // the first day of 1980
constexpr std::uint32_t regularMode = 0100644, programMode = 0100755;
constexpr std::uint64_t mostExpansion = 1040; // of deflate: 1032 and its overhead
constexpr std::uint64_t mostBytes = UINT32_MAX, mostMembers = UINT16_MAX;

/// The fields that the two records of a member have in common.
struct Record {
    std::uint16_t flags = utf8Names, method = methodStored;
    std::uint32_t checksum = 0, packedSize = 0, size = 0;
    std::string name;
    bool isExecutable = false;
    std::uint32_t offset = 0;
};

void put(std::string &out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
        out += static_cast<char>(value >> (8 * i));
}

void putCommon(std::string &out, const Record &r) {
    put(out, zipVersion, 2);
    put(out, r.flags, 2);
    put(out, r.method, 2);
    put(out, noTime, 2);
    put(out, noDate, 2);
    put(out, r.checksum, 4);
    put(out, r.packedSize, 4);
    put(out, r.size, 4);
    put(out, r.name.size(), 2);
    put(out, 0, 2); // extra fields
}

std::string localRecord(const Record &r) {
    std::string out;
    put(out, localSignature, 4);
    putCommon(out, r);
    return out + r.name;
}

std::string centralRecord(const Record &r) {
    std::string out;
    put(out, centralSignature, 4);
    put(out, madeByUnix | zipVersion, 2);
    putCommon(out, r);
    put(out, 0, 6); // comment, disk, kind of content
    put(out, (r.isExecutable ? programMode : regularMode) << 16, 4);
    put(out, r.offset, 4);
    return out + r.name;
}

std::string endRecord(std::size_t members, std::size_t centralBytes, std::size_t centralOffset) {
    std::string out;
    put(out, endSignature, 4);
    put(out, 0, 4); // disks
    put(out, members, 2);
    put(out, members, 2);
    put(out, centralBytes, 4);
    put(out, centralOffset, 4);
    put(out, 0, 2); // comment
    return out;
}

std::uint64_t get(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

Bytef *zlibBytes(std::string_view s) { return reinterpret_cast<Bytef *>(const_cast<char *>(s.data())); }

std::uint32_t checksumOf(std::string_view content) {
    return static_cast<std::uint32_t>(::crc32(0, zlibBytes(content), static_cast<uInt>(content.size())));
}

/// Without a header or a checksum, as in archives.
std::optional<std::string> deflated(std::string_view content) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return std::nullopt;
    std::string out(::deflateBound(&stream, content.size()), '\0');
    stream.next_in = zlibBytes(content);
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = zlibBytes(out);
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = ::deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return status == Z_STREAM_END ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string> inflated(std::string_view packed, std::uint32_t size) {
    if (size > packed.size() * mostExpansion)
        return std::nullopt;
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return std::nullopt;
    std::string out(size, '\0');
    char none = 0; // zlib takes no null pointer, not even for nothing
    stream.next_in = zlibBytes(packed);
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = size ? zlibBytes(out) : reinterpret_cast<Bytef *>(&none);
    stream.avail_out = size;
    const int status = ::inflate(&stream, Z_FINISH);
    const bool isWhole = status == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    return isWhole ? std::optional(std::move(out)) : std::nullopt;
}

/// A member that is in the way of another: twice the same name, or a file where another member needs a folder.
std::string conflict(const std::vector<Member> &sorted) {
    std::set<std::string_view> files;
    for (const Member &m : sorted)
        if (!files.insert(m.name).second)
            return m.name;
    for (const Member &m : sorted)
        for (std::size_t at = m.name.find('/'); at != std::string::npos; at = m.name.find('/', at + 1))
            if (files.count(std::string_view(m.name).substr(0, at)))
                return m.name;
    return "";
}

class Reader {
public:
    Reader(std::string_view archive, std::uint64_t maxBytes) : bytes_(archive), left_(maxBytes) {}

    Result<std::vector<Member>> read() {
        if (bytes_.size() < endBytes || get(bytes_, 0, 4) != localSignature)
            return Failure{"it is not a zip archive with files"};
        const std::size_t end = bytes_.size() - endBytes;
        if (get(bytes_, end, 4) != endSignature)
            return Failure{"the end is missing: it is cut off, or something was appended"};
        const std::uint64_t count = get(bytes_, end + 10, 2), offset = get(bytes_, end + 16, 4);
        if (offset > end || bytes_.substr(end) != endRecord(count, end - offset, offset))
            return Failure{"the list of files does not fill the space between the files and the end"};
        central_ = offset;
        std::vector<Member> out;
        for (std::uint64_t i = 0; i < count; ++i) {
            Result<Member> member = next(offset, end);
            if (!member)
                return Failure{member.error()};
            if (!out.empty() && member->name <= out.back().name)
                return Failure{"the names are not in order, or one is there twice: " + member->name};
            out.push_back(std::move(*member));
        }
        if (central_ != end || at_ != offset)
            return Failure{"it has data that belongs to no file"};
        if (const std::string name = conflict(out); !name.empty())
            return Failure{"a file and a folder have the same name: " + name};
        return out;
    }

private:
    /// The next record of the list, and the member that it describes.
    Result<Member> next(std::size_t dataEnd, std::size_t end) {
        if (end - central_ < centralBytes)
            return Failure{"the list of files is damaged"};
        Record r;
        r.method = static_cast<std::uint16_t>(get(bytes_, central_ + 10, 2));
        r.checksum = static_cast<std::uint32_t>(get(bytes_, central_ + 16, 4));
        r.packedSize = static_cast<std::uint32_t>(get(bytes_, central_ + 20, 4));
        r.size = static_cast<std::uint32_t>(get(bytes_, central_ + 24, 4));
        const std::size_t nameBytes = get(bytes_, central_ + 28, 2);
        const std::uint64_t mode = get(bytes_, central_ + 38, 4) >> 16;
        if (end - central_ - centralBytes < nameBytes)
            return Failure{"the list of files is damaged"};
        r.name = bytes_.substr(central_ + centralBytes, nameBytes);
        if (!isPlainName(r.name))
            return Failure{"a file has a name that leads elsewhere or is not portable"};
        if (mode != regularMode && mode != programMode)
            return Failure{r.name + " is a link, or something else that is not a regular file"};
        r.isExecutable = mode == programMode;
        r.offset = static_cast<std::uint32_t>(at_);
        const std::string central = centralRecord(r), local = localRecord(r);
        if (bytes_.substr(central_, central.size()) != central)
            return Failure{r.name + " is described in a form that sdfgc does not write"};
        if (at_ > dataEnd || dataEnd - at_ < local.size() + std::uint64_t{r.packedSize} ||
            bytes_.substr(at_, local.size()) != local)
            return Failure{"the two descriptions of " + r.name + " differ"};
        central_ += central.size();
        at_ += local.size() + r.packedSize;
        return content(r, bytes_.substr(at_ - r.packedSize, r.packedSize));
    }

    Result<Member> content(const Record &r, std::string_view packed) {
        if (r.size > left_)
            return Failure{"it is too large: the files have more bytes than allowed, up to " + r.name};
        left_ -= r.size;
        std::optional<std::string> content;
        if (r.method == methodDeflated)
            content = inflated(packed, r.size);
        else if (r.method == methodStored && r.size == r.packedSize)
            content = std::string(packed);
        if (!content || checksumOf(*content) != r.checksum)
            return Failure{r.name + " is damaged"};
        return Member{r.name, std::move(*content), r.isExecutable};
    }

    const std::string_view bytes_;
    std::uint64_t left_;               // bytes that contents may still have
    std::size_t at_ = 0, central_ = 0; // of the next member and its record in the list
};

} // namespace

bool isPlainName(std::string_view name) {
    if (name.empty() || name.size() > 4096)
        return false;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string_view part = name.substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..")
            return false;
        begin = end + 1;
    }
    return std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= ' ' && c != 127 && c != '\\' && c != ':'; });
}

Result<std::string> write(std::vector<Member> members) {
    std::sort(members.begin(), members.end(), [](const Member &a, const Member &b) { return a.name < b.name; });
    if (members.empty() || members.size() > mostMembers)
        return Failure{"an archive has between 1 and " + std::to_string(mostMembers) + " files"};
    if (const std::string name = conflict(members); !name.empty())
        return Failure{"two files have the same name, or one has that of a folder: " + name};
    std::string out, list;
    const std::string tooLarge = "an archive has at most 4 GiB";
    for (const Member &m : members) {
        if (!isPlainName(m.name))
            return Failure{"the name of a file is not portable: " + m.name};
        if (m.content.size() > mostBytes)
            return Failure{tooLarge};
        const std::optional<std::string> packed = deflated(m.content);
        if (!packed)
            return Failure{"compression failed: no memory"};
        const bool isSmaller = packed->size() < m.content.size();
        const std::string &data = isSmaller ? *packed : m.content;
        Record r;
        r.method = isSmaller ? methodDeflated : methodStored;
        r.checksum = checksumOf(m.content);
        r.packedSize = static_cast<std::uint32_t>(data.size());
        r.size = static_cast<std::uint32_t>(m.content.size());
        r.name = m.name;
        r.isExecutable = m.isExecutable;
        r.offset = static_cast<std::uint32_t>(out.size());
        out += localRecord(r) + data;
        list += centralRecord(r);
        if (out.size() + list.size() + endBytes > mostBytes)
            return Failure{tooLarge};
    }
    return out + list + endRecord(members.size(), list.size(), out.size());
}

Result<std::vector<Member>> read(std::string_view archive, std::uint64_t maxBytes) { return Reader(archive, maxBytes).read(); }

} // namespace sdfgc::zip
