#include "sdfgc/Support/JobRunner.h"

#include <charconv>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sdfgc {
namespace {

/// The value of the last `--jobserver-auth=` or `--jobserver-fds=` word.
std::string_view lastAuthorisation(std::string_view flags) {
    std::string_view found;
    while (!flags.empty()) {
        const std::size_t end = std::min(flags.find(' '), flags.size());
        const std::string_view word = flags.substr(0, end);
        for (const std::string_view option : {"--jobserver-auth=", "--jobserver-fds="})
            if (word.starts_with(option))
                found = word.substr(option.size());
        flags.remove_prefix(std::min(end + 1, flags.size()));
    }
    return found;
}

bool isPipe(int fd) {
    struct stat st;
    return ::fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

} // namespace

Jobserver::Jobserver(const std::string &makeflags) {
    const std::string_view auth = lastAuthorisation(makeflags);
    if (auth.starts_with("fifo:")) {
        openFifo(std::string(auth.substr(5)));
        return;
    }
    int read = -1, write = -1;
    const char *const end = auth.data() + auth.size();
    const auto first = std::from_chars(auth.data(), end, read);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == ',' &&
        std::from_chars(first.ptr + 1, end, write).ec == std::errc())
        openPipe(read, write);
}

bool Jobserver::openFifo(const std::string &path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && isPipe(fd)) {
        read_ = fd;
        write_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
        return true;
    }
    if (fd >= 0)
        ::close(fd);
    return false;
}

bool Jobserver::openPipe(int read, int write) {
    if (read < 0 || write < 0 || !isPipe(read) || !isPipe(write))
        return false; // make has closed them: the rule is not marked as recursive
    // The descriptor is shared with make and all its children, so its mode must not change. Opening the pipe again gives a
    // separate, nonblocking one.
    read_ = ::open(("/proc/self/fd/" + std::to_string(read)).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    write_ = ::fcntl(write, F_DUPFD_CLOEXEC, 0);
    return read_ >= 0;
}

Jobserver::~Jobserver() {
    while (!tokens_.empty())
        release();
    for (const int fd : {read_, write_})
        if (fd >= 0)
            ::close(fd);
}

bool Jobserver::acquire() {
    char token;
    if (read_ < 0 || ::read(read_, &token, 1) != 1)
        return false;
    tokens_ += token;
    return true;
}

void Jobserver::release() {
    if (tokens_.empty())
        return;
    // The pipe had room for this byte before; this can only fail if make has exited.
    (void)!::write(write_, &tokens_.back(), 1);
    tokens_.pop_back();
}

} // namespace sdfgc
