#include "sdfgc/Pass/TargetTraits.h"

#include <algorithm>
#include <iterator>

namespace sdfgc::pass {
namespace {

enum class TraitKind : uint8_t { Schedule, Storage, Language };

struct Row {
    TraitKind kind;
    std::string_view name;
    Acceptance host, gpu;
};

constexpr Family Gpu = Family::Gpu;
constexpr Acceptance Allowed{}, Nobody{Acceptance::Nobody};
constexpr Acceptance Lowered(std::string_view pass) { return {Acceptance::Lowered, pass}; }
constexpr Acceptance Other(Family family) { return {Acceptance::Other, {}, family}; }

constexpr Row table[] = {
#define SDFGC_ACCEPTED(OfKind, Name, OnHost, OnGpu) {TraitKind::OfKind, #Name, OnHost, OnGpu},
#include "sdfgc/Pass/Accepted.def"
};

/// Anything without a row is accepted by no target; a test checks that everything has one.
Acceptance answer(TraitKind kind, std::string_view name, Family family) {
    const Row *row =
        std::find_if(std::begin(table), std::end(table), [&](const Row &r) { return r.kind == kind && r.name == name; });
    if (row == std::end(table))
        return Nobody;
    return family == Family::Gpu ? row->gpu : row->host;
}

} // namespace

Acceptance accepted(ir::Schedule s, Family f) { return answer(TraitKind::Schedule, ir::name(s), f); }
Acceptance accepted(ir::Storage s, Family f) { return answer(TraitKind::Storage, ir::name(s), f); }
Acceptance accepted(ir::Language l, Family f) { return answer(TraitKind::Language, ir::name(l), f); }

std::string_view insteadOf(ir::Schedule) { return "code of the host has Sequential, CPU_Multicore and CPU_Persistent maps"; }
std::string_view insteadOf(ir::Storage) {
    return "memory is Register, CPU_Heap, CPU_Pinned, CPU_ThreadLocal, GPU_Global or GPU_Shared";
}
std::string_view insteadOf(ir::Language) { return "sdfgc compiles Python and CPP tasklets"; }

} // namespace sdfgc::pass
