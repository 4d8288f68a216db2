#include "sdfgc/Support/File.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sdfgc::file {
namespace {

namespace fs = std::filesystem;

Failure failure(const char *what, const std::string &path, int error) {
    return Failure{std::string("cannot ") + what + " " + path + ": " + std::strerror(error)};
}

/// Closes the descriptor on every exit.
struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0)
            ::close(fd);
    }
};

/// Writes everything; returns errno.
int writeAll(int fd, std::string_view content) {
    while (!content.empty()) {
        const ssize_t n = ::write(fd, content.data(), std::min<std::size_t>(content.size(), 1u << 30));
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0)
            content.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

constexpr std::string_view kTemporaryMark = ".tmp-";

/// Reads to the end of an open file.
Result<std::string> readAll(int fd, const struct stat &st, const std::string &path, std::uint64_t maxBytes) {
    const Failure tooLarge{"cannot read " + path + ": it has more than " + std::to_string(maxBytes) + " bytes"};
    const auto expected = S_ISREG(st.st_mode) ? static_cast<std::uint64_t>(st.st_size) : 0;
    if (expected > maxBytes)
        return tooLarge;
    std::string content(static_cast<std::size_t>(expected) + 1, '\0'); // one more, to detect the end of the file without growing
    std::size_t size = 0;
    while (true) {
        if (size == content.size())
            content.resize(std::max<std::size_t>(2 * size, 1u << 16));
        const ssize_t n = ::read(fd, content.data() + size, content.size() - size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failure("read", path, errno);
        if (n == 0)
            break;
        size += static_cast<std::size_t>(n);
        if (size > maxBytes)
            return tooLarge;
    }
    content.resize(size);
    return content;
}

} // namespace

Result<std::string> read(const std::string &path, std::uint64_t maxBytes) {
    const Descriptor in{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat st;
    if (in.fd < 0 || ::fstat(in.fd, &st) != 0)
        return failure("read", path, errno);
    if (S_ISDIR(st.st_mode))
        return failure("read", path, EISDIR);
    return readAll(in.fd, st, path, maxBytes);
}

Result<std::string> readRegular(const std::string &path, std::uint64_t maxBytes) {
    const Descriptor in{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)}; // opening a pipe waits for its writer
    struct stat st;
    if (in.fd < 0 || ::fstat(in.fd, &st) != 0)
        return failure("read", path, errno);
    if (!S_ISREG(st.st_mode))
        return Failure{"cannot read " + path + ": it is not a regular file"};
    return readAll(in.fd, st, path, maxBytes);
}

std::string temporaryName(const std::string &path) {
    static std::atomic<unsigned> counter{0};
    return join(folderOf(path),
                "." + nameOf(path) + std::string(kTemporaryMark) + std::to_string(::getpid()) + "-" + std::to_string(counter++));
}

namespace {

/// Devices and pipes (/dev/stdout, /dev/full) are written to directly: replacing one with a file would destroy it.
Result<void> writeSpecial(const std::string &path, std::string_view content) {
    const Descriptor out{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (out.fd < 0)
        return failure("write", path, errno);
    const int error = writeAll(out.fd, content);
    return error ? Result<void>(failure("write", path, error)) : Result<void>();
}

/// The target of a link, or the path itself.
std::string behindLinks(const std::string &path) {
    std::error_code ec;
    if (!fs::is_symlink(fs::symlink_status(path, ec)))
        return path;
    const fs::path target = fs::canonical(path, ec);
    return ec ? path : target.string();
}

} // namespace

Result<void> writeAtomic(const std::string &link, std::string_view content, Links links) {
    struct stat st;
    const bool follow = links == Links::Follow, exists = (follow ? ::stat : ::lstat)(link.c_str(), &st) == 0;
    if (follow && exists && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return writeSpecial(link, content);
    const std::string path = follow ? behindLinks(link) : link, temporary = temporaryName(path);
    const mode_t mode = exists && !S_ISLNK(st.st_mode) ? st.st_mode & 0777 : 0666;
    int error = 0;
    {
        Descriptor out{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)};
        if (out.fd < 0)
            return failure("write", path, errno);
        error = writeAll(out.fd, content);
        if (::close(std::exchange(out.fd, -1)) != 0 && !error)
            error = errno; // a full disk of a network file system is reported here
    }
    if (!error && ::rename(temporary.c_str(), path.c_str()) != 0)
        error = errno;
    if (!error)
        return {};
    ::unlink(temporary.c_str());
    return failure("write", path, error);
}

Result<bool> writeIfChanged(const std::string &path, std::string_view content, Links links) {
    const bool isReplaced = links == Links::Replace && isLink(path);
    const std::optional<Stamp> old = isReplaced ? std::nullopt : stamp(path);
    if (old && !old->isFolder && old->size == content.size()) {
        const Result<std::string> there = readRegular(path, content.size());
        if (there && *there == content)
            return false;
    }
    if (Result<void> written = writeAtomic(path, content, links); !written)
        return Failure{written.error()};
    return true;
}

void removeTemporaries(const std::string &folder, double olderThan) {
    const Result<std::vector<std::string>> names = list(folder);
    if (!names)
        return;
    auto isOld = [&](const std::string &path) {
        struct stat st;
        return olderThan == 0 || (::lstat(path.c_str(), &st) == 0 && std::difftime(std::time(nullptr), st.st_mtime) > olderThan);
    };
    for (const std::string &name : *names)
        if (name.starts_with('.') && name.find(kTemporaryMark) != std::string::npos && isOld(join(folder, name)))
            (void)removeTree(join(folder, name)); // it does no harm if it cannot be removed: temporary names are never reused
}

Result<void> rename(const std::string &from, const std::string &to) {
    if (::rename(from.c_str(), to.c_str()) != 0)
        return failure("write", to, errno);
    return {};
}

Result<void> touch(const std::string &path) {
    if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) != 0)
        return failure("touch", path, errno);
    return {};
}

Result<void> makeFolder(const std::string &path) {
    if (path.empty() || isFolder(path))
        return {};
    std::error_code ec;
    fs::create_directories(path, ec);
    if (ec && !isFolder(path)) // another process may have created it in the meantime
        return failure("create folder", path, ec.value());
    return {};
}

Result<void> makeFolderInside(const std::string &root, const std::string &below) {
    for (std::size_t end = 0; end != std::string::npos;) {
        end = below.find('/', end + 1);
        if (const std::string part = join(root, below.substr(0, end)); isLink(part))
            return Failure{"cannot write into " + join(root, below) + ": " + part + " is a link"};
    }
    return makeFolder(join(root, below));
}

Result<void> removeTree(const std::string &path) {
    const std::string whole = absolute(path);
    std::error_code ec;
    if (path.empty() || whole == "/" || whole == absolute(fs::current_path(ec).string()))
        return Failure{"refusing to remove " + (path.empty() ? "an empty path" : path)};
    fs::remove_all(path, ec);
    if (ec)
        return failure("remove", path, ec.value());
    return {};
}

Result<std::vector<std::string>> list(const std::string &folder) {
    std::error_code ec;
    std::vector<std::string> names;
    for (fs::directory_iterator it(folder.empty() ? "." : folder, ec), end; !ec && it != end; it.increment(ec))
        names.push_back(it->path().filename().string());
    if (ec)
        return failure("list", folder, ec.value());
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<Stamp> stamp(const std::string &path) {
    struct stat st;
    if (::stat(path.c_str(), &st) != 0)
        return std::nullopt;
    return Stamp{static_cast<std::uint64_t>(st.st_size), st.st_mtim.tv_sec * std::int64_t{1'000'000'000} + st.st_mtim.tv_nsec,
                 st.st_ino, S_ISDIR(st.st_mode)};
}

bool exists(const std::string &path) { return stamp(path).has_value(); }

bool isFolder(const std::string &path) {
    const auto s = stamp(path);
    return s && s->isFolder;
}

bool isLink(const std::string &path) {
    struct stat st;
    return ::lstat(path.c_str(), &st) == 0 && S_ISLNK(st.st_mode);
}

bool isExecutable(const std::string &path) { return !isFolder(path) && ::access(path.c_str(), X_OK) == 0; }

std::string join(std::string_view folder, std::string_view name) {
    if (folder.empty() || name.starts_with('/'))
        return std::string(name);
    std::string out(folder);
    if (out.back() != '/')
        out += '/';
    return out.append(name);
}

std::string folderOf(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos)
        return {};
    return std::string(path.substr(0, std::max<std::size_t>(slash, 1)));
}

std::string nameOf(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::string absolute(const std::string &path) {
    std::error_code ec;
    fs::path whole = fs::absolute(path, ec).lexically_normal();
    if (!whole.has_filename() && whole.has_relative_path()) // "a/b/" is "a/b"
        whole = whole.parent_path();
    return ec ? path : whole.string();
}

} // namespace sdfgc::file
