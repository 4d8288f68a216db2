// The process in which a program is called: loads, calls and reports.
#include "Run/Child.h"

#include "Run/CFunction.h"

#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/Signals.h"
#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <new>
#include <ucontext.h>

namespace sdfgc::run {
namespace {

using Status = CallResult::Status;

// For the signal handler of the child.
Report *crashReport = nullptr;
thread_local int rankOfThread = -1; // in an emulated job
std::uint64_t libraryBase = 0;
std::uint64_t libraryEnd = 0;

void addFrame(std::uint64_t address) {
    if (address >= libraryBase && address < libraryEnd && crashReport->frameCount < maxFrames)
        crashReport->frames[crashReport->frameCount++] = address - libraryBase;
}

/// Threads of a program often crash together: the first one reports, and the others wait until it ends the process.
extern "C" void onCrash(int signal, siginfo_t *, void *context) {
    static std::atomic<pid_t> first{0};
    const pid_t me = ::gettid();
    if (pid_t other = 0; !first.compare_exchange_strong(other, me)) {
        while (other != me)
            ::pause();
        ::_exit(0); // this handler itself has crashed
    }
    crashReport->signal = signal;
    crashReport->status = Status::Crashed;
    crashReport->rank = rankOfThread;
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
    for (int i = 0; i < count; ++i) // a return address points after the call
        addFrame(reinterpret_cast<std::uint64_t>(calls[i]) - 1);
    ::_exit(0);
}

void catchCrashes() {
    void *unused[1];
    ::backtrace(unused, 1); // loads required code now, since the handler must not
    useSignalStack();
    struct sigaction action {};
    action.sa_sigaction = onCrash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
        ::sigaction(signal, &action, nullptr);
}

/// The address range of the loaded library.
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

/// Discards standard output during its lifetime.
class MutedOutput {
public:
    MutedOutput() {
        std::fflush(stdout);
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        kept_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (nowhere >= 0 && kept_ >= 0)
            ::dup2(nowhere, STDOUT_FILENO);
        if (nowhere >= 0)
            ::close(nowhere);
    }
    ~MutedOutput() {
        std::fflush(stdout);
        if (kept_ >= 0) {
            ::dup2(kept_, STDOUT_FILENO);
            ::close(kept_);
        }
    }
    MutedOutput(const MutedOutput &) = delete;

private:
    int kept_ = -1;
};

/// The call of one rank.
class Child {
public:
    Child(void *library, const std::string &name, RankCall &rank, const CallOptions &o)
        : library_(library), name_(name), arguments_(*rank.arguments), options_(o), memory_(rank.memory),
          report_(*rank.shared.report), times_(rank.shared.times), graphs_(rank.shared.graphs) {}

    /// Calls the initialiser, the program and the finaliser.
    void run() {
        void *init = find("__dace_init_" + name_), *program = find("__program_" + name_), *finish = find("__dace_exit_" + name_);
        if (!init || !program || !finish)
            return;
        for (std::size_t i = 0; i < memory_.size(); ++i)
            pointers_.push_back(arguments_.all[i].isNull ? nullptr : memory_[i].data());
        if (!allocateOnDevice() || !allocatePinned())
            return;
        for (std::size_t i = 0; i < memory_.size(); ++i)
            if (const auto other = arguments_.all[i].sharesWith)
                pointers_[i] = pointers_[*other];
        if (!fill())
            return;
        call(init, program, finish);
    }
    bool isDone() const { return report_.status == Status::Done; }

private:
    void *lookUp(const std::string &name) const { return ::dlsym(library_, name.c_str()); }
    void *find(const std::string &name) {
        void *symbol = lookUp(name);
        if (!symbol)
            report_.say(Status::NotLoaded, ("the library has no function " + name).c_str());
        return symbol;
    }

    /// Allocates device memory through a function that every GPU program exports for such callers; if there is none, reports this
    /// and returns null.
    char *deviceMemory(std::size_t bytes) {
        if (!deviceAllocate_)
            deviceAllocate_ = reinterpret_cast<Allocate>(find(name_ + "_device_alloc"));
        if (!deviceAllocate_)
            return nullptr;
        char *memory = static_cast<char *>(deviceAllocate_(std::max<std::size_t>(bytes, 1)));
        if (!memory)
            report_.say(Status::NotStarted, "the device has no memory for its arrays, or there is none");
        return memory;
    }

    /// With an emulated device, reports refer to the next allocation by this name.
    void nameNext(const std::string &name) const {
        if (const auto give = reinterpret_cast<NameNext>(lookUp("sdfgc_emulation_name")))
            give(name.c_str());
    }

    bool allocateOnDevice() {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            if (!arguments_.all[i].isDevice || arguments_.all[i].isNull)
                continue;
            if (!deviceCopy_)
                deviceCopy_ = reinterpret_cast<DeviceCopy>(find(name_ + "_device_copy"));
            nameNext(arguments_.all[i].name.str());
            pointers_[i] = deviceCopy_ ? deviceMemory(arguments_.all[i].data.size()) : nullptr;
            if (!pointers_[i])
                return false;
        }
        return true;
    }

    /// Page-locked memory; not needed for a program without device code.
    char *pinnedMemory(std::size_t bytes) {
        const auto allocate = reinterpret_cast<Allocate>(lookUp(name_ + "_pinned_alloc"));
        char *memory = static_cast<char *>(allocate(std::max<std::size_t>(bytes, 1)));
        if (!memory)
            report_.say(Status::NotStarted, "there is not enough page-locked memory");
        return memory;
    }
    bool hasPinnedMemory() const { return lookUp(name_ + "_pinned_alloc") != nullptr; }

    bool allocatePinned() {
        for (std::size_t i = 0; i < memory_.size(); ++i)
            if (arguments_.all[i].isPinned && !arguments_.all[i].isNull && hasPinnedMemory())
                if (!(pointers_[i] = pinnedMemory(arguments_.all[i].data.size())))
                    return false;
        return true;
    }

    /// Provides memory for the containers that live in the caller's memory.
    bool giveExternalMemory(void *handle) {
        for (int s = 0; s <= static_cast<int>(ir::Storage::FPGA_ShiftRegister); ++s) {
            const auto storage = static_cast<ir::Storage>(s);
            void *size = lookUp("__dace_get_external_memory_size_" + std::string(ir::name(storage)));
            if (!size)
                continue;
            CFunction sizeCall(&ffi_type_uint64, {&handle}, arguments_, arguments_.init, pointers_, memory_);
            std::uint64_t bytes = 0;
            if (!sizeCall.ok())
                return false;
            sizeCall(size, &bytes);
            char *memory = externalMemory(storage, bytes);
            CFunction giveCall(&ffi_type_void, {&handle, &memory}, arguments_, arguments_.init, pointers_, memory_);
            void *give = find("__dace_set_external_memory_" + std::string(ir::name(storage)));
            if (!memory || !give || !giveCall.ok())
                return false;
            giveCall(give, nullptr);
        }
        return true;
    }

    /// Sets the sizes that the program has no parameters for.
    bool setSizes(void *handle) {
        using Set = int (*)(void *handle, std::int64_t value);
        for (std::size_t i : arguments_.sizes) {
            const Argument &a = arguments_.all[i];
            const auto set = reinterpret_cast<Set>(find(name_ + "_set_size_" + a.name.str()));
            if (!set)
                return false;
            if (set(handle, static_cast<std::int64_t>(valueOf(a.type, a.data))) != 0) {
                report_.say(Status::Error, ("the size `" + a.name.str() + "` is too large").c_str());
                return false;
            }
        }
        return true;
    }

    char *externalMemory(ir::Storage storage, std::uint64_t bytes) {
        if (storage == ir::Storage::GPU_Global)
            return deviceMemory(bytes);
        if (storage == ir::Storage::CPU_Pinned && hasPinnedMemory())
            return pinnedMemory(bytes);
        external_.emplace_back(bytes);
        if (!external_.back().data())
            report_.say(Status::NotStarted,
                        ("there is not enough memory for its external memory, " + std::to_string(bytes) + " bytes").c_str());
        return external_.back().data();
    }

    /// Fills in the arguments as prepared. The device's memory is freed with the process.
    bool fill() {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            std::memcpy(memory_[i].data(), arguments_.all[i].data.data(), arguments_.all[i].data.size());
            if (!copy(i, true))
                return false;
        }
        link(arguments_, pointers_);
        return true;
    }

    /// Copies between the memory that the parent sees and that of the program, if these differ.
    bool copy(std::size_t i, bool there) {
        const Argument &a = arguments_.all[i];
        char *host = memory_[i].data();
        if (a.isNull || pointers_[i] == host || a.sharesWith)
            return true;
        if (!a.isDevice) {
            std::memcpy(there ? pointers_[i] : host, there ? host : pointers_[i], a.data.size());
            return true;
        }
        const int failed = there ? deviceCopy_(pointers_[i], host, a.data.size()) : deviceCopy_(host, pointers_[i], a.data.size());
        if (failed)
            report_.say(Status::Error, "an array could not be copied between host and device");
        return failed == 0;
    }

    void call(void *init, void *program, void *finish) {
        void *handle = nullptr;
        CFunction initCall(&ffi_type_pointer, {}, arguments_, arguments_.init, pointers_, memory_);
        CFunction programCall(&ffi_type_void, {&handle}, arguments_, arguments_.program, pointers_, memory_);
        CFunction finishCall(&ffi_type_sint, {&handle}, arguments_, {}, pointers_, memory_);
        if (!initCall.ok() || !programCall.ok() || !finishCall.ok())
            return report_.say(Status::NotLoaded, "its functions cannot be called on this machine");
        Timer timer;
        initCall(init, &handle);
        report_.initSeconds = timer.seconds();
        using ErrorCode = int (*)(void *);
        using ErrorText = const char *(*)(void *);
        const auto code = reinterpret_cast<ErrorCode>(lookUp(name_ + "_error"));
        const auto text = reinterpret_cast<ErrorText>(lookUp(name_ + "_error_message"));
        if (!handle)
            return report_.say(Status::InitFailed, text ? text(nullptr) : "");
        if (!giveExternalMemory(handle) || !setSizes(handle))
            return;
        const auto callOnce = [&] {
            const DeviceCounts before = deviceCounts();
            Timer one;
            programCall(program, nullptr);
            times_[report_.calls] = one.seconds();
            report_.device = deviceCounts() - before;
            const bool failed = code && code(handle) != 0;
            if (failed)
                report_.say(Status::Error, text ? text(handle) : "");
            else
                ++report_.calls;
            return !failed;
        };
        if (!(options_.measure ? measure(callOnce) : repeat(callOnce)))
            return;
        if (options_.gpuGraphs > 0)
            readGraphs(handle);
        ffi_arg failed = 0;
        finishCall(finish, &failed);
        if (report_.status != Status::Exited)
            return;
        if (static_cast<int>(failed) != 0)
            report_.say(Status::ExitFailed, ("it returned " + std::to_string(static_cast<int>(failed))).c_str());
        else if (const long complaints = emulationReports())
            report_.say(Status::Complained, std::to_string(complaints).c_str());
        else
            report_.say(Status::Done, "");
    }

    bool copyBack() {
        unlink(arguments_, pointers_);
        for (std::size_t i = 0; i < memory_.size(); ++i)
            if (!copy(i, false))
                return false;
        return true;
    }

    /// Makes the requested number of calls, up to the first that fails. False if arguments cannot be copied.
    template <class CallOnce> bool repeat(const CallOnce &callOnce) {
        for (int i = 0; i < Shared::calls(options_); ++i)
            if ((i != 0 && !fill()) || !callOnce())
                break;
        return copyBack();
    }

    /// The first call, followed by others as long as there is time. The results of the first call are restored.
    template <class CallOnce> bool measure(const CallOnce &callOnce) {
        const Timer all;
        const bool succeeded = callOnce();
        if (!copyBack())
            return false;
        if (!succeeded || all.seconds() >= CallOptions::enoughSeconds)
            return true;
        std::vector<std::pair<std::size_t, std::string>> results;
        try {
            for (std::size_t i = 0; i < memory_.size(); ++i)
                if (const std::string &before = arguments_.all[i].data;
                    std::memcmp(memory_[i].data(), before.data(), before.size()) != 0)
                    results.emplace_back(i, memory_[i].content());
        } catch (const std::bad_alloc &) {
            return true; // no memory for more calls
        }
        const MutedOutput muted;
        while (report_.calls < Shared::calls(options_) && isTimeLeft(all.seconds()) && fill() && callOnce()) {
        }
        for (std::size_t i = 0; i < memory_.size(); ++i)
            std::memcpy(memory_[i].data(), arguments_.all[i].data.data(), arguments_.all[i].data.size());
        for (const auto &[i, content] : results)
            std::memcpy(memory_[i].data(), content.data(), content.size());
        return true;
    }

    /// Measuring stays well below a limit set by the user: it must not make a program fail.
    bool isTimeLeft(double spent) const {
        const double longest = *std::max_element(times_, times_ + report_.calls);
        return spent < CallOptions::enoughSeconds && (options_.seconds == 0 || spent + longest < options_.seconds / 2);
    }

    /// The number of faults that the emulated device has found; it prints each.
    long emulationReports() const {
        const auto reports = reinterpret_cast<long (*)()>(lookUp("sdfgc_emulation_reports"));
        return reports ? reports() : 0;
    }

    /// What an emulated device has done so far.
    DeviceCounts deviceCounts() {
        DeviceCounts counts;
        const auto read = reinterpret_cast<void (*)(DeviceCounts *)>(lookUp("sdfgc_emulation_counts"));
        report_.isEmulated = read != nullptr;
        if (read)
            read(&counts);
        return counts;
    }

    void readGraphs(void *handle) {
        using Graphs = const GraphInfo *(*)(void *, int *count);
        const auto graphs = reinterpret_cast<Graphs>(lookUp(name_ + "_gpu_graphs"));
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

    void *library_;
    const std::string &name_;
    const Arguments &arguments_;
    const CallOptions &options_;
    std::vector<SharedMemory> &memory_;
    std::vector<char *> pointers_; // of arrays, as passed to the call
    std::vector<SharedMemory> external_;
    Report &report_;
    double *times_;
    SharedCounters *graphs_;
    using Allocate = void *(*)(std::size_t bytes);
    using DeviceCopy = int (*)(void *to, const void *from, std::size_t bytes);
    using NameNext = void (*)(const char *name);
    Allocate deviceAllocate_ = nullptr;
    DeviceCopy deviceCopy_ = nullptr;
};

/// The ranks of a library built against the MPI emulation: threads of this process.
using Emulate = int (*)(int ranks, std::uint64_t seed, int (*body)(int, void *), void *data, char *report, std::size_t room);

void emulateRanks(Emulate emulate, std::vector<Child> &children, const CallOptions &options, Report &report) {
    std::array<char, 1024> wrong{};
    const auto body = [](int rank, void *data) {
        Child &child = (*static_cast<std::vector<Child> *>(data))[static_cast<std::size_t>(rank)];
        rankOfThread = rank;
        child.run();
        return child.isDone() ? 0 : 1;
    };
    emulate(static_cast<int>(children.size()), static_cast<std::uint64_t>(options.mpiSeed), body, &children, wrong.data(),
            wrong.size());
    if (wrong[0])
        report.say(Status::Error, wrong.data());
}

/// The messages that the emulated ranks sent, as text from the runtime.
void readSent(void *library, char *to) {
    using Sent = void (*)(char *text, std::size_t room);
    if (const auto sent = reinterpret_cast<Sent>(::dlsym(library, "sdfgc_mpi_sent")); sent && to)
        sent(to, Shared::sentRoom);
}

/// The process that initialised MPI finalises it. After an error the others may never get there, and the launcher ends them.
void finaliseMpi(void *library) {
    using Ask = int (*)(int *);
    const auto initialised = reinterpret_cast<Ask>(::dlsym(library, "MPI_Initialized")),
               finalised = reinterpret_cast<Ask>(::dlsym(library, "MPI_Finalized"));
    const auto finalise = reinterpret_cast<int (*)()>(::dlsym(library, "MPI_Finalize"));
    int started = 0, over = 1;
    if (initialised && finalised && finalise && initialised(&started) == 0 && finalised(&over) == 0 && started && !over)
        finalise();
}

} // namespace

void callInChild(const std::string &library, const std::string &name, std::vector<RankCall> &ranks, const CallOptions &options) {
    Report &report = *ranks.front().shared.report;
    crashReport = &report;
    void *loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!loaded)
        return report.say(Status::NotLoaded, ::dlerror());
    if (void *program = ::dlsym(loaded, ("__program_" + name).c_str()))
        findExtent(program);
    catchCrashes();
    std::vector<Child> children;
    children.reserve(ranks.size());
    for (RankCall &rank : ranks)
        children.emplace_back(loaded, name, rank, options);
    if (const auto emulate = reinterpret_cast<Emulate>(::dlsym(loaded, "sdfgc_mpi_emulate"))) {
        emulateRanks(emulate, children, options, report);
        readSent(loaded, ranks.front().shared.sent);
    } else if (children.size() > 1)
        report.say(Status::NotLoaded, "it was not built with --emulate-mpi, so it cannot run ranks as threads");
    else
        children.front().run();
    if (children.front().isDone())
        finaliseMpi(loaded);
}

} // namespace sdfgc::run
