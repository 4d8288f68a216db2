#include "Driver/Crash.h"
#include "Driver/VersionText.h"
#include "sdfgc/Driver/Driver.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Support/Signals.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sdfgc::driver {
namespace crash {
namespace {

/// A text of bounded size in static memory: trivially constructed and usable in a signal handler.
template <std::size_t Size> struct FixedText {
    std::array<char, Size> bytes;
    const char *c_str() const { return bytes.data(); }
    void clear() { bytes[0] = '\0'; }
    void append(std::string_view text) {
        std::size_t used = std::strlen(bytes.data()), count = std::min(text.size(), Size - 1 - used);
        std::memcpy(bytes.data() + used, text.data(), count);
        bytes[used + count] = '\0';
    }
    void appendNumber(unsigned long number) {
        std::array<char, 24> digits;
        std::size_t at = digits.size();
        do
            digits[--at] = static_cast<char>('0' + number % 10);
        while ((number /= 10) != 0);
        append({digits.data() + at, digits.size() - at});
    }
};

FixedText<256> currentActivity;
FixedText<4096> inputPath;
FixedText<16384> commandText; // content of command.txt
FixedText<4096> folderPath;
FixedText<16384> passText;
FixedText<4096> executable;

/// Words of a command, ready to be executed by a signal handler.
struct FixedCommand {
    static constexpr std::size_t most = 64;
    FixedText<32768> text; // the words, each null-terminated
    std::array<char *, most + 4> words;
    std::size_t count = 0;
    bool set(const std::vector<std::string> &arguments) {
        count = 0;
        std::size_t used = 0;
        for (const std::string &a : arguments) {
            if (count == most || used + a.size() + 1 > text.bytes.size()) {
                count = 0;
                return false; // too long to replay
            }
            words[count++] = text.bytes.data() + used;
            std::memcpy(text.bytes.data() + used, a.c_str(), a.size() + 1);
            used += a.size() + 1;
        }
        return true;
    }
};
FixedCommand replay;
constexpr const char *replayMark = "SDFGC_REPLAY"; // a replay that crashes does not write another reproducer
volatile std::sig_atomic_t crashing = 0;

void writeAll(int descriptor, std::string_view text) {
    while (!text.empty()) {
        ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Opens a new file of the reproducer folder; -1 on failure.
int createFile(std::string_view name) {
    FixedText<4600> path;
    path.clear();
    path.append(folderPath.c_str());
    path.append("/");
    path.append(name);
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

void copyInput() {
    if (inputPath.c_str()[0] == '\0')
        return;
    int from = ::open(inputPath.c_str(), O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return;
    const char *slash = std::strrchr(inputPath.c_str(), '/');
    int to = createFile(slash ? slash + 1 : inputPath.c_str());
    static std::array<char, 65536> buffer;
    for (ssize_t count = 1; to >= 0 && (count = ::read(from, buffer.data(), buffer.size())) > 0;)
        writeAll(to, {buffer.data(), static_cast<std::size_t>(count)});
    if (to >= 0)
        ::close(to);
    ::close(from);
}

/// Runs another sdfgc that repeats the passes so far and writes the graph before the failed step.
void writeGraphBefore() {
    if (replay.count == 0 || executable.c_str()[0] == '\0')
        return;
    FixedText<4600> path;
    path.clear();
    path.append(folderPath.c_str());
    path.append("/before.sdfg");
    const pid_t parent = ::getpid(), child = ::fork();
    if (child == 0) {
        endWithParent(parent);
        constexpr unsigned seconds = 300;
        static char output[] = "-o";
        replay.words[replay.count] = output;
        replay.words[replay.count + 1] = path.bytes.data();
        replay.words[replay.count + 2] = nullptr;
        const int nowhere = ::open("/dev/null", O_RDWR);
        for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
            ::dup2(nowhere, descriptor);
        ::alarm(seconds);
        ::setenv(replayMark, "1", 1);
        ::execv(executable.c_str(), replay.words.data());
        ::_exit(1);
    }
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
}

/// `$TMPDIR/sdfgc-bug-PID`, with another number appended if that exists.
bool makeFolder() {
    const char *temporary = std::getenv("TMPDIR");
    for (unsigned attempt = 0; attempt < 100; ++attempt) {
        folderPath.clear();
        folderPath.append(temporary && *temporary ? temporary : "/tmp");
        folderPath.append("/sdfgc-bug-");
        folderPath.appendNumber(static_cast<unsigned long>(::getpid()));
        if (attempt != 0) {
            folderPath.append("-");
            folderPath.appendNumber(attempt);
        }
        if (::mkdir(folderPath.c_str(), 0755) == 0)
            return true;
    }
    return false;
}

/// Prints one line, writes a reproducer, and ends the process. Runs in signal handlers and in the terminate handler.
[[noreturn]] void die(std::string_view what) {
    if (crashing)
        ::_exit(InternalFault);
    crashing = 1;
    const char *folder = writeReproducer();
    FixedText<8192> line;
    line.clear();
    line.append("sdfgc: error: internal error: ");
    line.append(what);
    if (currentActivity.c_str()[0] != '\0') {
        line.append(" while ");
        line.append(currentActivity.c_str());
    }
    line.append("; this is a bug in sdfgc, please report it with the reproducer in ");
    line.append(folder);
    line.append(" [SD9001]\n");
    writeAll(STDERR_FILENO, line.c_str());
    ::_exit(InternalFault);
}

struct SignalName {
    int number;
    std::string_view text;
};
constexpr std::array fatalSignals{SignalName{SIGSEGV, "invalid memory access (SIGSEGV)"},
                                  SignalName{SIGBUS, "invalid memory access (SIGBUS)"},
                                  SignalName{SIGILL, "invalid instruction (SIGILL)"},
                                  SignalName{SIGFPE, "arithmetic fault (SIGFPE)"}, SignalName{SIGABRT, "abort (SIGABRT)"}};

extern "C" void onFatalSignal(int number) {
    for (const SignalName &s : fatalSignals)
        if (s.number == number)
            die(s.text);
    die("fatal signal");
}

[[noreturn]] void onTerminate() {
    if (std::exception_ptr e = std::current_exception()) {
        try {
            std::rethrow_exception(e);
        } catch (const std::exception &x) {
            die(x.what());
        } catch (...) {
            die("unknown exception");
        }
    }
    die("std::terminate");
}

} // namespace

void setActivity(std::string_view text) {
    currentActivity.clear();
    currentActivity.append(text);
}
std::string activity() { return currentActivity.c_str(); }

void setInput(std::string_view path) {
    inputPath.clear();
    inputPath.append(path);
}

void setPasses(std::string_view text) {
    passText.clear();
    passText.append(text);
}

void setReplay(const std::vector<std::string> &arguments) {
    std::vector<std::string> words;
    if (!arguments.empty())
        words.emplace_back("sdfgc");
    words.insert(words.end(), arguments.begin(), arguments.end());
    replay.set(words);
}

void setReplayProgram(std::string_view path) {
    executable.clear();
    executable.append(path);
}

const char *writeReproducer() {
    if (std::getenv(replayMark) || !makeFolder())
        return "(not written)";
    int command = createFile("command.txt");
    if (command >= 0) {
        writeAll(command, commandText.c_str());
        writeAll(command, "activity: ");
        writeAll(command, currentActivity.c_str());
        writeAll(command, "\npasses: ");
        writeAll(command, passText.c_str());
        writeAll(command, "\n");
        ::close(command);
    }
    copyInput();
    writeGraphBefore();
    return folderPath.c_str();
}

} // namespace crash

void installCrashHandlers(const std::vector<std::string> &arguments) {
    using namespace crash;
    commandText.clear();
    commandText.append("version: ");
    commandText.append(versionText());
    commandText.append("\ncommand: sdfgc ");
    commandText.append(process::quoted(arguments));
    commandText.append("\n");
    setReplayProgram(executablePath());
    std::set_terminate(onTerminate);
    ::signal(SIGXFSZ, SIG_IGN); // exceeding a file size limit is then an error of that write, like a full disk

    useSignalStack();
    struct sigaction action {};
    action.sa_handler = onFatalSignal;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND;
    for (const SignalName &s : fatalSignals)
        ::sigaction(s.number, &action, nullptr);
}

} // namespace sdfgc::driver
