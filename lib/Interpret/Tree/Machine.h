// The machine that executes a tree: memory of declarations, threads that meet at barriers, streams of the device.
#pragma once

#include "../Machine.h"

#include "sdfgc/Tree/Tree.h"

#include <functional>

namespace sdfgc::interpret {

/// Memory that a declaration allocates each time it is executed; concurrent threads have separate memory.
struct Slot {
    Name name;
    int64_t unit = 1; // bytes of an element
    Space space = Space::Host;
    bool zeroed = false;
    bool isShared = true; // may several threads have a pointer to it?
    bool ofBlock = false; // shared by all threads of a block
    std::vector<std::shared_ptr<Buffer>> memory;
    uint64_t block = 0;      // that owns the memory
    bool isDeclared = false; // at its point of use: it begins without memory, which is allocated later
};

/// Allocates new memory for a slot, without values.
void renew(Slot &s, std::shared_ptr<Buffer> &memory, int64_t elements, Machine &m);

/// Copies `bytes` from `from` to `to`, in elements of `unit` bytes. Copying elements that have never been written leaves the
/// destination unwritten; this is only a fault once a computation uses them, or if the destination is memory of the caller.
void copyMemory(Machine &m, Pointer from, Pointer to, int64_t bytes, int64_t unit, const Site *site);

/// The memory space of a container.
Space spaceOf(ir::Storage s);

/// The queues of a graph's stream, or a view of an array as a stream: pushed elements are appended.
struct Queues {
    std::vector<Queue> queues;
    bool isView = false;
    Pointer array;
    int64_t appended = 0;
};

/// The register value that represents a stream.
struct QueueAt {
    Queues *queues = nullptr;
    int64_t number = 0;
};

/// Why a thread's code has stopped before its end.
enum class Meeting : uint8_t { None, Block, Grid };

class TreeMachine : public Machine {
public:
    using Machine::Machine;

    // ---- the current thread
    int64_t maxThreads = 3;     // of a host team of unspecified size: several, and an odd number
    int64_t residentBlocks = 2; // of a persistent kernel
    int64_t thread = 0, teamSize = 1;
    int64_t threadIndex[3] = {}, blockIndex[3] = {}, blockSize[3] = {1, 1, 1}, gridSize[3] = {1, 1, 1};
    std::size_t side = 0; // index of its own memory in a slot
    uint64_t block = 0;   // counted over all launches
    Meeting meeting = Meeting::None;
    const Instruction *goOn = nullptr; // continuation after the barrier

    // ---- work queued on the device
    std::unique_ptr<Streams> streams; // none: the program has no streams

    /// Keeps an object that instructions point to alive as long as the machine.
    template <class T> T &keep(T x) {
        auto kept = std::make_shared<T>(std::move(x));
        kept_.push_back(kept);
        return *kept;
    }

private:
    std::vector<std::shared_ptr<void>> kept_;
};

inline TreeMachine &treeMachine(Machine &m) { return static_cast<TreeMachine &>(m); }

/// The code of one thread, and the registers that each thread has a private copy of.
struct ThreadCode {
    Code code;
    Range registers;
    bool meets = false; // does it have barriers?
};

/// Runs `count` threads side by side, from one barrier to the next. `become(k)` switches the machine to thread k.
void runThreads(TreeMachine &m, const ThreadCode &code, std::size_t count, const std::function<void(std::size_t)> &become);
/// Runs the blocks of a kernel; the machine has the sizes. `persistent`: they run concurrently, and may synchronise.
void runGrid(TreeMachine &m, const ThreadCode &code, bool persistent);

} // namespace sdfgc::interpret
