// Locks between processes, and folders that remove themselves.
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace sdfgc::file {
namespace {

/// Is the opened file still the one at this path? A lock file is removed under its lock, so processes that waited for it acquire
/// the lock of a removed file.
bool isStillAt(const std::string &path, int fd) {
    struct stat opened, named;
    return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

/// Tries to take the lock; returns errno, EWOULDBLOCK when another process holds it.
int tryLock(int fd) {
    while (::flock(fd, LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

void sleepSeconds(double seconds) {
    const timespec t{static_cast<time_t>(seconds),
                     static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
    ::nanosleep(&t, nullptr);
}

std::string thisProcess() {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    return "process " + std::to_string(::getpid()) + " on " + host;
}

/// The holder's text in the lock file; it may be writing it right now.
std::string holderOf(int fd) {
    char text[300];
    const ssize_t n = ::pread(fd, text, sizeof text, 0);
    const std::string holder(text, n > 0 ? static_cast<std::size_t>(n) : 0);
    return holder.empty() ? "another process" : holder.substr(0, holder.find('\n'));
}

} // namespace

Result<std::optional<Lock>> Lock::acquire(const std::string &path, double waitSeconds,
                                          const std::function<void(const std::string &)> &onWait) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return Failure{"cannot lock " + path + ": " + std::strerror(errno)};
    Lock lock(fd);
    const Timer timer;
    double pause = 0.001;
    bool told = false;
    int error;
    while ((error = tryLock(fd)) == EWOULDBLOCK && timer.seconds() < waitSeconds) {
        if (!told && onWait)
            onWait(holderOf(fd));
        told = true;
        sleepSeconds(pause);
        pause = std::min(2 * pause, 0.05);
    }
    if (error == EWOULDBLOCK)
        return std::optional<Lock>();
    if (error)
        return Failure{"cannot lock " + path + ": " + std::strerror(error)};
    if (!isStillAt(path, fd))
        return acquire(path, std::max(waitSeconds - timer.seconds(), 0.0),
                       told ? std::function<void(const std::string &)>() : onWait);
    const std::string self = thisProcess() + "\n";
    // Only used in messages of waiting processes, so a failure is harmless.
    if (::ftruncate(fd, 0) == 0 && ::pwrite(fd, self.data(), self.size(), 0) < 0)
        errno = 0;
    return std::optional<Lock>(std::move(lock));
}

Lock &Lock::operator=(Lock &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

Lock::~Lock() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

Result<TemporaryFolder> TemporaryFolder::create(const std::string &prefix) {
    const char *root = std::getenv("TMPDIR");
    std::string path = join(root && *root ? root : "/tmp", prefix + "-XXXXXX");
    if (!::mkdtemp(path.data()))
        return Failure{"cannot create a temporary folder " + path + ": " + std::strerror(errno)};
    return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
    if (!path_.empty())
        (void)removeTree(path_);
}

} // namespace sdfgc::file
