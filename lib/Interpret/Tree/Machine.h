// The machine on which a tree is executed: memory of declarations, threads that meet at barriers, streams of the device.
#pragma once

#include "../Machine.h"

#include "sdfgc/Tree/Tree.h"

#include <functional>

namespace sdfgc::interpret {

/// Memory that a declaration makes each time that control comes by; each thread that runs beside others has its own.
struct Slot {
    Name name;
    int64_t unit = 1; // bytes of an element
    Space space = Space::Host;
    bool zeroed = false;
    bool isShared = true; // may several threads have a pointer to it?
    bool ofBlock = false; // one for all threads of a block
    std::vector<std::shared_ptr<Buffer>> memory;
    uint64_t block = 0;      // that the memory is of
    bool isDeclared = false; // where it is used: each time, it begins without memory that is allocated later
};

/// New memory for a slot, without values.
void renew(Slot &s, std::shared_ptr<Buffer> &memory, int64_t elements, Machine &m);

/// Copies `bytes`, in elements of `unit`, whose memory is at `from` and `to`. Elements that nothing has written are as little written
/// afterwards, and no fault before something computes with them, unless they go to memory of the caller.
void copyMemory(Machine &m, Pointer from, Pointer to, int64_t bytes, int64_t unit, const Site *site);

/// Where a container lies.
Space spaceOf(ir::Storage s);

/// The queues of a stream of the graph, or a view of an array as one: what is pushed is appended.
struct Queues {
    std::vector<Queue> queues;
    bool isView = false;
    Pointer array;
    int64_t appended = 0;
};

/// What a register holds that stands for a stream.
struct QueueAt {
    Queues *queues = nullptr;
    int64_t number = 0;
};

/// Why the code of a thread has stopped before its end.
enum class Meeting : uint8_t { None, Block, Grid };

class TreeMachine : public Machine {
public:
    using Machine::Machine;

    // ---- the thread that runs
    int64_t maxThreads = 3;     // of a team of the host, where nothing says how many: some, and an odd number
    int64_t residentBlocks = 2; // of a persistent kernel
    int64_t thread = 0, teamSize = 1;
    int64_t threadIndex[3] = {}, blockIndex[3] = {}, blockSize[3] = {1, 1, 1}, gridSize[3] = {1, 1, 1};
    std::size_t side = 0; // which memory of a slot is its own
    uint64_t block = 0;   // over all launches
    Meeting meeting = Meeting::None;
    const Instruction *goOn = nullptr; // after the meeting

    // ---- what the device has been given
    std::unique_ptr<Streams> streams; // none: the program has no streams

    /// Lets what instructions point to live as long as the machine.
    template <class T> T &keep(T x) {
        auto kept = std::make_shared<T>(std::move(x));
        kept_.push_back(kept);
        return *kept;
    }

private:
    std::vector<std::shared_ptr<void>> kept_;
};

inline TreeMachine &treeMachine(Machine &m) { return static_cast<TreeMachine &>(m); }

/// The code of one thread, and the registers that each has for itself.
struct ThreadCode {
    Code code;
    Range registers;
    bool meets = false; // at barriers
};

/// Runs `count` threads, from one barrier to the next side by side. `become(k)` lets the machine be thread k.
void runThreads(TreeMachine &m, const ThreadCode &code, std::size_t count, const std::function<void(std::size_t)> &become);
/// Runs the blocks of a kernel; the machine has their sizes. `persistent`: they run at once, and may meet.
void runGrid(TreeMachine &m, const ThreadCode &code, bool persistent);

} // namespace sdfgc::interpret
