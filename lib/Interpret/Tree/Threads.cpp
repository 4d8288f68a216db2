// Threads: of a parallel region of the host, of a kernel.
//
// Threads that never meet are executed one after the other, as iterations of a map. Those that meet at barriers are executed from one
// barrier to the next: what lies between two barriers is a map, and maps follow each other. A thread that waits keeps the registers
// of its code, so that the next one can have them.
#include "Translator.h"

#include "../Values.h"

namespace sdfgc::interpret {

using namespace tree;

namespace {

/// A thread between two barriers.
struct Waiting {
    std::vector<std::byte> registers;
    const Instruction *goOn = nullptr;
    Meeting meeting = Meeting::None;
};

/// Lets threads run until each is at its end, or waits for `until`.
class Team {
public:
    Team(TreeMachine &m, const ThreadCode &code, const std::vector<std::byte> &fresh, std::size_t count,
         const std::function<void(std::size_t)> &become)
        : m_(m), code_(code), become_(become), threads_(count, Waiting{fresh, code.code.begin(), Meeting::None}) {}

    bool isDone() const {
        return std::all_of(threads_.begin(), threads_.end(), [](const Waiting &t) { return !t.goOn; });
    }
    /// One part after the other. Ends where all that go on wait for the grid.
    void run() {
        while (!isDone() && !m_.stopped()) {
            const bool all = std::all_of(threads_.begin(), threads_.end(),
                                         [](const Waiting &t) { return !t.goOn || t.meeting == Meeting::Grid; });
            if (all && started_)
                return;
            started_ = true;
            part();
        }
    }
    void meetGrid() {
        started_ = false;
        for (Waiting &t : threads_)
            t.meeting = Meeting::None;
    }

private:
    void part() {
        m_.order.enterMap();
        for (std::size_t k = 0; k < threads_.size(); ++k) {
            Waiting &t = threads_[k];
            if (!t.goOn || t.meeting == Meeting::Grid)
                continue;
            become_(k);
            m_.load(code_.registers, t.registers);
            m_.meeting = Meeting::None;
            m_.order.iteration();
            m_.order.task();
            Code::resume(t.goOn, m_);
            t.meeting = m_.meeting;
            t.goOn = t.meeting == Meeting::None ? nullptr : m_.goOn;
            if (t.goOn)
                m_.save(code_.registers, t.registers);
        }
        m_.order.leave();
    }
    TreeMachine &m_;
    const ThreadCode &code_;
    const std::function<void(std::size_t)> &become_;
    std::vector<Waiting> threads_;
    bool started_ = false;
};

void unravel(std::size_t number, const int64_t *sizes, int64_t *out) {
    for (int k = 0; k < 3; ++k) {
        const auto size = static_cast<std::size_t>(std::max<int64_t>(sizes[k], 1));
        out[k] = static_cast<int64_t>(number % size);
        number /= size;
    }
}

std::size_t product(const int64_t *sizes) {
    std::size_t n = 1;
    for (int k = 0; k < 3; ++k)
        n *= static_cast<std::size_t>(std::max<int64_t>(sizes[k], 0));
    return n;
}

/// Blocks that are on the device at once, and wait for each other.
void runResidentGrid(TreeMachine &m, const ThreadCode &code, std::size_t blocks, std::size_t threads) {
    std::vector<std::byte> fresh;
    m.save(code.registers, fresh);
    std::vector<std::function<void(std::size_t)>> become;
    std::vector<Team> teams;
    const uint64_t first = m.block + 1;
    become.reserve(blocks);
    for (std::size_t k = 0; k < blocks; ++k) {
        become.push_back([&m, k, threads, first](std::size_t t) {
            m.block = first + k;
            m.side = k * threads + t;
            unravel(k, m.gridSize, m.blockIndex);
            unravel(t, m.blockSize, m.threadIndex);
        });
        teams.emplace_back(m, code, fresh, threads, become[k]);
    }
    const auto done = [&] { return std::all_of(teams.begin(), teams.end(), [](const Team &t) { return t.isDone(); }); };
    while (!done() && !m.stopped()) {
        m.order.enterMap();
        for (Team &t : teams) {
            m.order.iteration();
            t.run();
        }
        m.order.leave();
        for (Team &t : teams)
            t.meetGrid();
    }
    m.block = first + blocks;
}

} // namespace

void runThreads(TreeMachine &m, const ThreadCode &code, std::size_t count, const std::function<void(std::size_t)> &become) {
    if (code.meets) {
        std::vector<std::byte> fresh;
        m.save(code.registers, fresh);
        Team(m, code, fresh, count, [&](std::size_t k) {
            m.side = k;
            become(k);
        }).run();
        m.side = 0;
        return;
    }
    m.order.enterMap();
    for (std::size_t k = 0; k < count && m.goesOn(); ++k) {
        become(k);
        m.order.iteration();
        m.order.task();
        code.code.run(m);
    }
    m.order.leave();
}

void runGrid(TreeMachine &m, const ThreadCode &code, bool persistent) {
    const std::size_t blocks = product(m.gridSize), threads = product(m.blockSize);
    if (blocks == 0 || threads == 0)
        return;
    if (persistent && code.meets)
        return runResidentGrid(m, code, blocks, threads);
    m.order.enterMap();
    for (std::size_t k = 0; k < blocks && m.goesOn(); ++k) {
        m.order.iteration();
        ++m.block;
        unravel(k, m.gridSize, m.blockIndex);
        runThreads(m, code, threads, [&](std::size_t t) { unravel(t, m.blockSize, m.threadIndex); });
    }
    m.order.leave();
}

// ---------------------------------------------------------------------------------------------------- regions

void Translator::translateThreads(ThreadCode &out, const std::function<void()> &make) {
    const bool within = std::exchange(inThreads_, true), met = std::exchange(meets_, false);
    m_.beginRange();
    out.code = separately(make);
    out.registers = m_.endRange();
    out.meets = meets_;
    inThreads_ = within;
    meets_ = met;
}

namespace {

struct Region {
    ThreadCode threads;
    Operand count, number, size; // how many are asked for; what each is told
};

const Instruction *runRegionNow(const Instruction *i, Machine &machine) {
    TreeMachine &m = treeMachine(machine);
    const auto &r = *static_cast<const Region *>(i->extra);
    const int64_t asked = as<int64_t>(r.count.at), count = asked > 0 ? asked : m.maxThreads;
    m.teamSize = count;
    runThreads(m, r.threads, static_cast<std::size_t>(count), [&](std::size_t k) { m.thread = static_cast<int64_t>(k); });
    m.thread = 0;
    m.teamSize = 1;
    return i + 1;
}

const Instruction *meetNow(const Instruction *i, Machine &machine) {
    TreeMachine &m = treeMachine(machine);
    m.meeting = static_cast<Meeting>(i->n);
    m.goOn = i + 1;
    return nullptr;
}

} // namespace

void Translator::translate(const Barrier &barrier) { meet(barrier.ofGrid ? Meeting::Grid : Meeting::Block); }

void Translator::meet(Meeting meeting) {
    meets_ = true;
    b().emit({meetNow, nullptr, nullptr, nullptr, static_cast<int64_t>(meeting)});
}

void Translator::translate(const ParallelRegion &r) {
    Region &x = m_.keep(Region());
    const Operand asked = b().convert(b().symbolic(r.numThreads), ScalarKind::Int64);
    x.count = b().reserve(ScalarKind::Int64);
    b().copy(x.count, asked);
    if (r.onlyIf != sym::Expr::boolean(true)) { // else a team of one
        const std::size_t no = b().jumpLater(b().convert(b().symbolic(r.onlyIf), ScalarKind::Bool)), done = b().jumpLater();
        b().land(no);
        b().copy(x.count, b().constant(ScalarKind::Int64, int64_t(1)));
        b().land(done);
    }
    const auto tell = [&](VarId v, const int64_t *at) {
        if (!v)
            return;
        Location &p = frame().places[static_cast<std::size_t>(v.index)];
        p = {};
        p.type = variable(v).type;
        p.value = b().reserve(p.type);
        b().copy(p.value, b().convert(Builder::integerAt(at), p.type));
        frame().visible[variable(v).name] = v;
    };
    translateThreads(x.threads, [&] {
        tell(r.threadVar, &m_.thread);
        tell(r.teamSizeVar, &m_.teamSize);
        translate(r.body);
    });
    b().emit({runRegionNow, nullptr, nullptr, nullptr, 1, &x});
}

void Translator::translate(const Sections &s) {
    const auto emit = [&](Operation o) { b().emit({o}); };
    emit([](const Instruction *i, Machine &m) {
        m.order.enterMap();
        return i + 1;
    });
    for (const auto &section : s.sections) {
        emit([](const Instruction *i, Machine &m) {
            m.order.iteration();
            m.order.task();
            return i + 1;
        });
        translate(*section);
    }
    emit([](const Instruction *i, Machine &m) {
        m.order.leave();
        return i + 1;
    });
}

} // namespace sdfgc::interpret
