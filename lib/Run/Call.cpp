// The parent maps memory that it shares with the child, fills it, forks and waits; the child loads the library and calls. What the
// child finds out travels through the shared memory as well: a crash in the middle loses nothing that was there before it.
#include "sdfgc/Run/Call.h"
#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <ffi.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

namespace sdfgc::run {
namespace {

using Status = CallResult::Status;

constexpr std::size_t alignment = 64, maxFrames = 64;

std::size_t pageSize() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

/// Pages that parent and child both see, with one after them that must not be touched.
class SharedMemory {
public:
    explicit SharedMemory(std::size_t bytes) : bytes_(bytes) {
        const std::size_t page = pageSize(), whole = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
        size_ = whole + page;
        if (size_ < bytes)
            return;
        void *p = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return;
        base_ = static_cast<char *>(p);
        ::mprotect(base_ + whole, page, PROT_NONE);
        // As near to the end as alignment allows.
        begin_ = base_ + (whole - bytes) / alignment * alignment;
    }
    SharedMemory(SharedMemory &&o) noexcept
        : base_(std::exchange(o.base_, nullptr)), begin_(o.begin_), size_(o.size_), bytes_(o.bytes_) {}
    SharedMemory &operator=(SharedMemory &&) = delete;
    ~SharedMemory() {
        if (base_)
            ::munmap(base_, size_);
    }
    char *data() const { return base_ ? begin_ : nullptr; }
    std::string content() const { return std::string(begin_, bytes_); }

private:
    char *base_ = nullptr, *begin_ = nullptr;
    std::size_t size_ = 0, bytes_;
};

/// What the child says; the times of the calls stand after it.
struct Report {
    Status status;
    int signal;
    int timed;  // calls whose times are there
    int graphs; // whose counters are there
    std::size_t frameCount;
    std::array<std::uint64_t, maxFrames> frames;
    double initSeconds;
    std::array<char, 1024> message;

    void say(Status s, const char *text) {
        status = s;
        std::snprintf(message.data(), message.size(), "%s", text ? text : "");
    }
};

/// A `<name>_graph_info` of the program's C interface (lib/Targets/Gpu): the numbers in their order there.
struct GraphInfo {
    const char *name;
    std::array<int64_t, 9> numbers;
    const char *lastReason;
};

/// The same with its texts; these stand after the times.
struct SharedCounters {
    std::array<int64_t, 9> numbers;
    std::array<char, 256> name;
    std::array<char, 512> lastReason;

    GraphCounters counters() const {
        const auto &n = numbers;
        return {name.data(), n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], lastReason.data()};
    }
};

/// What parent and child share beside the arguments.
struct Shared {
    Report *report;
    double *times;
    SharedCounters *graphs;

    static std::size_t bytes(const CallOptions &o) {
        return sizeof(Report) + static_cast<std::size_t>(o.repeat) * sizeof(double) +
               static_cast<std::size_t>(o.gpuGraphs) * sizeof(SharedCounters);
    }
    Shared(char *memory, const CallOptions &o)
        : report(new (memory) Report{}), times(reinterpret_cast<double *>(memory + sizeof(Report))),
          graphs(reinterpret_cast<SharedCounters *>(times + o.repeat)) {}
};

ffi_type *ffiType(Type t) {
    switch (t.scalar()) {
    case ScalarKind::Bool:
    case ScalarKind::UInt8:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
        return &ffi_type_uint8;
    case ScalarKind::Int8:
        return &ffi_type_sint8;
    case ScalarKind::Int16:
        return &ffi_type_sint16;
    case ScalarKind::UInt16:
    case ScalarKind::Float16:
    case ScalarKind::BFloat16:
        return &ffi_type_uint16;
    case ScalarKind::Int32:
        return &ffi_type_sint32;
    case ScalarKind::UInt32:
        return &ffi_type_uint32;
    case ScalarKind::Int64:
        return &ffi_type_sint64;
    case ScalarKind::UInt64:
        return &ffi_type_uint64;
    case ScalarKind::Float32:
        return &ffi_type_float;
    case ScalarKind::Float64:
        return &ffi_type_double;
    case ScalarKind::Complex64:
        return &ffi_type_complex_float;
    case ScalarKind::Complex128:
        return &ffi_type_complex_double;
    default:
        return &ffi_type_pointer;
    }
}

/// One C function with the values of its parameters; the handle comes first when there is one.
class CFunction {
public:
    CFunction(ffi_type *result, void **handle, const Arguments &a, const std::vector<std::size_t> &parameters,
              std::vector<char *> &pointers, const std::vector<SharedMemory> &memory) {
        if (handle) {
            types_.push_back(&ffi_type_pointer);
            values_.push_back(handle);
        }
        for (std::size_t i : parameters) {
            const Argument &one = a.all[i];
            types_.push_back(one.isArray ? &ffi_type_pointer : ffiType(one.type));
            values_.push_back(one.isArray ? static_cast<void *>(&pointers[i]) : memory[i].data());
        }
        ok_ = ffi_prep_cif(&cif_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), result, types_.data()) == FFI_OK;
    }
    bool ok() const { return ok_; }
    void operator()(void *function, void *result) { ffi_call(&cif_, FFI_FN(function), result, values_.data()); }

private:
    ffi_cif cif_{};
    std::vector<ffi_type *> types_;
    std::vector<void *> values_;
    bool ok_ = false;
};

// For the signal handler of the child.
Report *crashReport = nullptr;
std::uint64_t libraryBase = 0;
std::uint64_t libraryEnd = 0;

void addFrame(std::uint64_t address) {
    if (address >= libraryBase && address < libraryEnd && crashReport->frameCount < maxFrames)
        crashReport->frames[crashReport->frameCount++] = address - libraryBase;
}

/// Threads of a program often crash together: the first one tells, the others wait for the end that it makes.
extern "C" void onCrash(int signal, siginfo_t *, void *context) {
    static std::atomic<pid_t> first{0};
    const pid_t me = ::gettid();
    if (pid_t other = 0; !first.compare_exchange_strong(other, me)) {
        while (other != me)
            ::pause();
        ::_exit(0); // this handler itself crashed
    }
    crashReport->signal = signal;
    crashReport->status = Status::Crashed;
    crashReport->frameCount = 0;
#if defined(__x86_64__)
    addFrame(static_cast<std::uint64_t>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]));
#elif defined(__aarch64__)
    addFrame(static_cast<ucontext_t *>(context)->uc_mcontext.pc);
#else
    (void)context;
#endif
    void *calls[maxFrames];
    const int count = ::backtrace(calls, maxFrames);
    for (int i = 0; i < count; ++i) // a return address stands after the call
        addFrame(reinterpret_cast<std::uint64_t>(calls[i]) - 1);
    ::_exit(0);
}

void catchCrashes() {
    void *unused[1];
    ::backtrace(unused, 1); // loads what it needs: not allowed in the handler
    static std::array<char, 1 << 16> stack;
    stack_t alternative{};
    alternative.ss_sp = stack.data();
    alternative.ss_size = stack.size();
    ::sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = onCrash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
        ::sigaction(signal, &action, nullptr);
}

/// The addresses that the loaded library takes.
void findExtent(void *symbol) {
    Dl_info info{};
    if (!::dladdr(symbol, &info))
        return;
    libraryBase = reinterpret_cast<std::uint64_t>(info.dli_fbase);
    ::dl_iterate_phdr(
        [](dl_phdr_info *p, std::size_t, void *) {
            if (p->dlpi_addr != libraryBase)
                return 0;
            for (int i = 0; i < p->dlpi_phnum; ++i)
                if (p->dlpi_phdr[i].p_type == PT_LOAD)
                    libraryEnd =
                        std::max<std::uint64_t>(libraryEnd, libraryBase + p->dlpi_phdr[i].p_vaddr + p->dlpi_phdr[i].p_memsz);
            return 1;
        },
        nullptr);
}

class Child {
public:
    Child(const Arguments &a, const CallOptions &o, std::vector<SharedMemory> &memory, const Shared &shared)
        : arguments_(a), options_(o), memory_(memory), report_(*shared.report), times_(shared.times), graphs_(shared.graphs) {}

    void run(const std::string &library, const std::string &name) {
        crashReport = &report_;
        void *loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!loaded)
            return report_.say(Status::NotLoaded, ::dlerror());
        void *init = find(loaded, "__dace_init_" + name), *program = find(loaded, "__program_" + name),
             *finish = find(loaded, "__dace_exit_" + name);
        if (!init || !program || !finish)
            return;
        findExtent(program);
        catchCrashes();
        for (std::size_t i = 0; i < memory_.size(); ++i)
            pointers_.push_back(arguments_.all[i].isNull ? nullptr : memory_[i].data());
        if (!allocateOnDevice(loaded, name))
            return;
        for (std::size_t i = 0; i < memory_.size(); ++i)
            if (const auto other = arguments_.all[i].sharesWith)
                pointers_[i] = pointers_[*other];
        if (!fill())
            return;
        call(loaded, name, init, program, finish);
    }

private:
    void *find(void *library, const std::string &name) {
        void *symbol = ::dlsym(library, name.c_str());
        if (!symbol)
            report_.say(Status::NotLoaded, ("the library has no function " + name).c_str());
        return symbol;
    }

    /// Memory of the device for the arrays that live there, from functions that every GPU program exports for such callers.
    bool allocateOnDevice(void *library, const std::string &name) {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            if (!arguments_.all[i].isDevice || arguments_.all[i].isNull)
                continue;
            if (!deviceAllocate_) {
                deviceAllocate_ = reinterpret_cast<DeviceAllocate>(find(library, name + "_device_alloc"));
                deviceCopy_ = reinterpret_cast<DeviceCopy>(find(library, name + "_device_copy"));
            }
            if (!deviceAllocate_ || !deviceCopy_)
                return false;
            pointers_[i] = static_cast<char *>(deviceAllocate_(std::max<std::size_t>(arguments_.all[i].data.size(), 1)));
            if (!pointers_[i]) {
                report_.say(Status::NotStarted, "the device has no memory for its arrays, or there is none");
                return false;
            }
        }
        return true;
    }

    /// The arguments as they were prepared. The device's memory is freed with the process.
    bool fill() {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            std::memcpy(memory_[i].data(), arguments_.all[i].data.data(), arguments_.all[i].data.size());
            if (!copyDevice(i, true))
                return false;
        }
        return true;
    }

    bool copyDevice(std::size_t i, bool there) {
        const Argument &a = arguments_.all[i];
        if (!a.isDevice || a.isNull)
            return true;
        void *host = memory_[i].data();
        const int failed = there ? deviceCopy_(pointers_[i], host, a.data.size()) : deviceCopy_(host, pointers_[i], a.data.size());
        if (failed)
            report_.say(Status::Error, "an array could not be copied between host and device");
        return failed == 0;
    }

    void call(void *library, const std::string &name, void *init, void *program, void *finish) {
        void *handle = nullptr;
        CFunction initCall(&ffi_type_pointer, nullptr, arguments_, arguments_.init, pointers_, memory_);
        CFunction programCall(&ffi_type_void, &handle, arguments_, arguments_.program, pointers_, memory_);
        CFunction finishCall(&ffi_type_sint, &handle, arguments_, {}, pointers_, memory_);
        if (!initCall.ok() || !programCall.ok() || !finishCall.ok())
            return report_.say(Status::NotLoaded, "its functions cannot be called on this machine");
        Timer timer;
        initCall(init, &handle);
        report_.initSeconds = timer.seconds();
        if (!handle)
            return report_.say(Status::InitFailed, "");
        using ErrorCode = int (*)(void *);
        using ErrorText = const char *(*)(void *);
        const auto code = reinterpret_cast<ErrorCode>(::dlsym(library, (name + "_error").c_str()));
        const auto text = reinterpret_cast<ErrorText>(::dlsym(library, (name + "_error_message").c_str()));
        for (int i = 0; i < options_.warmup + options_.repeat; ++i) {
            if (i != 0 && !fill())
                return;
            Timer one;
            programCall(program, nullptr);
            const double seconds = one.seconds();
            if (code && code(handle) != 0) {
                report_.say(Status::Error, text ? text(handle) : "");
                break;
            }
            if (i >= options_.warmup)
                times_[report_.timed++] = seconds;
        }
        if (options_.gpuGraphs > 0)
            readGraphs(library, name, handle);
        for (std::size_t i = 0; i < memory_.size(); ++i)
            if (!copyDevice(i, false))
                return;
        ffi_arg failed = 0;
        finishCall(finish, &failed);
        if (report_.status != Status::Exited)
            return;
        if (static_cast<int>(failed) != 0)
            report_.say(Status::ExitFailed, ("it returned " + std::to_string(static_cast<int>(failed))).c_str());
        else
            report_.say(Status::Done, "");
    }

    void readGraphs(void *library, const std::string &name, void *handle) {
        using Graphs = const GraphInfo *(*)(void *, int *count);
        const auto graphs = reinterpret_cast<Graphs>(::dlsym(library, (name + "_gpu_graphs").c_str()));
        int count = 0;
        const GraphInfo *infos = graphs ? graphs(handle, &count) : nullptr;
        for (; report_.graphs < std::min(count, options_.gpuGraphs); ++report_.graphs) {
            const GraphInfo &info = infos[report_.graphs];
            SharedCounters &to = graphs_[report_.graphs];
            to.numbers = info.numbers;
            std::snprintf(to.name.data(), to.name.size(), "%s", info.name);
            std::snprintf(to.lastReason.data(), to.lastReason.size(), "%s", info.lastReason);
        }
    }

    const Arguments &arguments_;
    const CallOptions &options_;
    std::vector<SharedMemory> &memory_;
    std::vector<char *> pointers_; // of arrays, as the call takes them
    Report &report_;
    double *times_;
    SharedCounters *graphs_;
    using DeviceAllocate = void *(*)(std::size_t bytes);
    using DeviceCopy = int (*)(void *to, const void *from, std::size_t bytes);
    DeviceAllocate deviceAllocate_ = nullptr;
    DeviceCopy deviceCopy_ = nullptr;
};

/// Waits for the child, no longer than `seconds` (0: without limit); returns its status, or nothing when its time was over.
std::optional<int> waitFor(pid_t child, double seconds) {
    Timer timer;
    int status = 0;
    while (::waitpid(child, &status, seconds > 0 ? WNOHANG : 0) != child) {
        if (seconds > 0 && timer.seconds() > seconds) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            return std::nullopt;
        }
        ::usleep(2000);
    }
    return status;
}

} // namespace

CallResult call(const std::string &library, const std::string &name, const Arguments &arguments, const CallOptions &options) {
    CallResult result;
    auto failed = [&](const std::string &why) {
        result.status = Status::NotStarted;
        result.message = why;
        return result;
    };
    std::vector<SharedMemory> memory;
    for (const Argument &a : arguments.all) {
        memory.emplace_back(a.data.size());
        if (!memory.back().data())
            return failed("there is not enough memory for `" + a.name.str() + "`");
    }
    SharedMemory sharedMemory(Shared::bytes(options));
    if (!sharedMemory.data())
        return failed("there is not enough memory");
    const Shared shared(sharedMemory.data(), options);
    Report *report = shared.report;
    report->status = Status::Exited; // unless the child says something else

    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0)
        return failed(std::string("no process could be started: ") + std::strerror(errno));
    if (child == 0) {
        for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
            ::signal(signal, SIG_DFL);
        Child(arguments, options, memory, shared).run(library, name);
        std::fflush(nullptr);
        ::_exit(0);
    }
    const std::optional<int> ended = waitFor(child, options.seconds);
    result.status = !ended ? Status::TimedOut : report->status;
    result.signal = report->signal;
    result.message = report->message.data();
    if (ended && WIFSIGNALED(*ended)) {
        result.status = Status::Crashed;
        result.signal = WTERMSIG(*ended);
    } else if (ended && WEXITSTATUS(*ended) != 0) {
        result.status = Status::Exited;
        result.signal = WEXITSTATUS(*ended);
    }
    result.frames.assign(report->frames.begin(), report->frames.begin() + static_cast<std::ptrdiff_t>(report->frameCount));
    result.initSeconds = report->initSeconds;
    result.seconds.assign(shared.times, shared.times + report->timed);
    for (int i = 0; i < report->graphs; ++i)
        result.graphs.push_back(shared.graphs[i].counters());
    for (std::size_t i = 0; i < memory.size(); ++i)
        result.memory.push_back(memory[arguments.all[i].sharesWith.value_or(i)].content());
    return result;
}

} // namespace sdfgc::run
