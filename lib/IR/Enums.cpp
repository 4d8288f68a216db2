#include "sdfgc/IR/Enums.h"

#include <array>

namespace sdfgc::ir {
namespace {

#define SDFGC_TEXT(N) std::string_view(#N),
constexpr std::array storages{SDFGC_STORAGES(SDFGC_TEXT)};
constexpr std::array schedules{SDFGC_SCHEDULES(SDFGC_TEXT)};
constexpr std::array lifetimes{SDFGC_LIFETIMES(SDFGC_TEXT)};
constexpr std::array languages{SDFGC_LANGUAGES(SDFGC_TEXT)};
constexpr std::array ompSchedules{SDFGC_OMP_SCHEDULES(SDFGC_TEXT)};
constexpr std::array instrumentations{SDFGC_INSTRUMENTATIONS(SDFGC_TEXT)};
constexpr std::array dataInstrumentations{SDFGC_DATA_INSTRUMENTATIONS(SDFGC_TEXT)};
constexpr std::array copyMethods{SDFGC_COPY_METHODS(SDFGC_TEXT)};
constexpr std::array memoryKinds{SDFGC_MEMORY_KINDS(SDFGC_TEXT)};
constexpr std::array graphMarks{std::string_view(""), std::string_view("off"), std::string_view("auto"),
                                std::string_view("require"), std::string_view("formed")};
constexpr std::array levels{std::string_view("loaded"),   std::string_view("structured"), std::string_view("typed"),
                            std::string_view("expanded"), std::string_view("allocated"),  std::string_view("scheduled"),
                            std::string_view("lowered")};
#undef SDFGC_TEXT

template <class E, class Table> std::optional<E> lookUp(const Table &table, std::string_view text) {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i] == text)
            return static_cast<E>(i);
    return std::nullopt;
}

} // namespace

std::string_view name(Storage v) { return storages[static_cast<std::size_t>(v)]; }
std::string_view name(Schedule v) { return schedules[static_cast<std::size_t>(v)]; }
std::string_view name(Lifetime v) { return lifetimes[static_cast<std::size_t>(v)]; }
std::string_view name(Language v) { return languages[static_cast<std::size_t>(v)]; }
std::string_view name(OmpSchedule v) { return ompSchedules[static_cast<std::size_t>(v)]; }
std::string_view name(Instrumentation v) { return instrumentations[static_cast<std::size_t>(v)]; }
std::string_view name(DataInstrumentation v) { return dataInstrumentations[static_cast<std::size_t>(v)]; }
std::string_view name(CopyMethod v) { return copyMethods[static_cast<std::size_t>(v)]; }
std::string_view name(MemoryKind v) { return memoryKinds[static_cast<std::size_t>(v)]; }
std::string_view name(GraphMark v) { return graphMarks[static_cast<std::size_t>(v)]; }
std::string_view name(Level v) { return levels[static_cast<std::size_t>(v)]; }

template <> std::optional<Storage> parseEnum(std::string_view t) { return lookUp<Storage>(storages, t); }
template <> std::optional<Schedule> parseEnum(std::string_view t) {
    return t == "GPU_Default" ? Schedule::GPU_Device : lookUp<Schedule>(schedules, t);
}
template <> std::optional<Lifetime> parseEnum(std::string_view t) { return lookUp<Lifetime>(lifetimes, t); }
template <> std::optional<Language> parseEnum(std::string_view t) {
    // Some versions write `Language.Python`: the last component counts (format reference 1.5).
    if (auto dot = t.rfind('.'); dot != std::string_view::npos)
        t.remove_prefix(dot + 1);
    return lookUp<Language>(languages, t);
}
template <> std::optional<OmpSchedule> parseEnum(std::string_view t) { return lookUp<OmpSchedule>(ompSchedules, t); }
template <> std::optional<Instrumentation> parseEnum(std::string_view t) { return lookUp<Instrumentation>(instrumentations, t); }
template <> std::optional<DataInstrumentation> parseEnum(std::string_view t) {
    return lookUp<DataInstrumentation>(dataInstrumentations, t);
}
template <> std::optional<CopyMethod> parseEnum(std::string_view t) { return lookUp<CopyMethod>(copyMethods, t); }
template <> std::optional<MemoryKind> parseEnum(std::string_view t) { return lookUp<MemoryKind>(memoryKinds, t); }
template <> std::optional<GraphMark> parseEnum(std::string_view t) {
    return t.empty() ? std::nullopt : lookUp<GraphMark>(graphMarks, t);
}

std::optional<Level> parseLevel(std::string_view t) {
    const std::optional<Level> level = lookUp<Level>(levels, t);
    return level == Level::Lowered ? std::nullopt : level;
}

bool isGpuSchedule(Schedule s) {
    return s == Schedule::GPU_Device || isThreadBlock(s) || s == Schedule::GPU_Warp || s == Schedule::GPU_Persistent;
}
bool isKernelSchedule(Schedule s) { return s == Schedule::GPU_Device || s == Schedule::GPU_Persistent; }
bool isThreadBlock(Schedule s) { return s == Schedule::GPU_ThreadBlock || s == Schedule::GPU_ThreadBlock_Dynamic; }
bool isGpuStorage(Storage s) { return s == Storage::GPU_Global || s == Storage::GPU_Shared; }
bool isParallel(Schedule s) { return s != Schedule::Sequential && s != Schedule::Unrolled && s != Schedule::Default; }

} // namespace sdfgc::ir
