#include "sdfgc/Support/Gzip.h"

#include <algorithm>
#include <zlib.h>

namespace sdfgc::gzip {
namespace {

constexpr int kGzipWindow = 15 + 16; // zlib: the largest window, gzip framing

Bytef *bytesOf(std::string_view s) { return reinterpret_cast<Bytef *>(const_cast<char *>(s.data())); }

uInt clamped(std::size_t n) { return static_cast<uInt>(std::min<std::size_t>(n, 1u << 30)); }

struct Inflater {
    z_stream stream{};
    bool ready = inflateInit2(&stream, kGzipWindow) == Z_OK;
    ~Inflater() { inflateEnd(&stream); }
};

} // namespace

bool isCompressed(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

Result<std::string> inflate(std::string_view bytes, std::uint64_t maxBytes) {
    Inflater z;
    if (!z.ready)
        return Failure{"cannot start decompression: no memory"};
    std::string out;
    std::string chunk(std::size_t{1} << 18, '\0');
    while (true) {
        z.stream.next_in = bytesOf(bytes);
        z.stream.avail_in = clamped(bytes.size());
        z.stream.next_out = bytesOf(chunk);
        z.stream.avail_out = static_cast<uInt>(chunk.size());
        const uInt offered = z.stream.avail_in;
        const int status = ::inflate(&z.stream, Z_NO_FLUSH);
        bytes.remove_prefix(offered - z.stream.avail_in);
        const std::size_t got = chunk.size() - z.stream.avail_out;
        if (out.size() + got > maxBytes)
            return Failure{"the compressed data holds more than " + std::to_string(maxBytes) + " bytes"};
        out.append(chunk, 0, got);
        if (status == Z_STREAM_END) {
            if (!isCompressed(bytes)) // another member, or padding, which gzip also ignores
                return out;
            inflateReset(&z.stream);
        } else if (status == Z_BUF_ERROR || (status == Z_OK && bytes.empty() && got < chunk.size())) {
            return Failure{"the compressed data is cut off"};
        } else if (status != Z_OK) {
            return Failure{std::string("the compressed data is corrupt: ") + (z.stream.msg ? z.stream.msg : "unknown format")};
        }
    }
}

Result<std::string> deflate(std::string_view content, int level) {
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return Failure{"cannot start compression: no memory"};
    std::string out;
    std::string chunk(std::size_t{1} << 18, '\0');
    int status = Z_OK;
    while (status == Z_OK) {
        stream.next_in = bytesOf(content);
        stream.avail_in = clamped(content.size());
        stream.next_out = bytesOf(chunk);
        stream.avail_out = static_cast<uInt>(chunk.size());
        const uInt offered = stream.avail_in;
        status = ::deflate(&stream, offered == content.size() ? Z_FINISH : Z_NO_FLUSH);
        content.remove_prefix(offered - stream.avail_in);
        out.append(chunk, 0, chunk.size() - stream.avail_out);
    }
    deflateEnd(&stream);
    if (status != Z_STREAM_END)
        return Failure{"compression failed"};
    return out;
}

} // namespace sdfgc::gzip
