#include "Transforms/Normalise/DefaultTables.h"

namespace sdfgc::transforms {

using namespace ir;

std::optional<Storage> storageInside(Schedule scope) {
    switch (scope) {
    case Schedule::Sequential:
    case Schedule::CPU_Multicore:
    case Schedule::GPU_ThreadBlock:
    case Schedule::GPU_ThreadBlock_Dynamic:
    case Schedule::GPU_Warp:
        return Storage::Register;
    case Schedule::MPI:
    case Schedule::CPU_Persistent:
    case Schedule::SVE_Map:
        return Storage::CPU_Heap;
    case Schedule::GPU_Persistent:
        return Storage::GPU_Global;
    case Schedule::GPU_Device:
        return Storage::GPU_Shared;
    case Schedule::Snitch:
        return Storage::Snitch_TCDM;
    default:
        return std::nullopt;
    }
}

std::optional<Schedule> scheduleInside(Schedule scope) {
    switch (scope) {
    case Schedule::Sequential:
    case Schedule::CPU_Multicore:
    case Schedule::GPU_ThreadBlock:
    case Schedule::GPU_ThreadBlock_Dynamic:
    case Schedule::GPU_Warp:
    case Schedule::SVE_Map:
        return Schedule::Sequential;
    case Schedule::MPI:
    case Schedule::CPU_Persistent:
        return Schedule::CPU_Multicore;
    case Schedule::GPU_Persistent:
        return Schedule::GPU_Device;
    case Schedule::GPU_Device:
        return Schedule::GPU_ThreadBlock;
    case Schedule::Snitch:
    case Schedule::Snitch_Multicore:
        return scope;
    default:
        return std::nullopt;
    }
}

std::optional<Schedule> impliedSchedule(Storage storage) {
    switch (storage) {
    case Storage::CPU_Heap:
    case Storage::CPU_ThreadLocal:
        return Schedule::CPU_Multicore;
    case Storage::GPU_Global:
        return Schedule::GPU_Device;
    case Storage::GPU_Shared:
        return Schedule::GPU_ThreadBlock;
    case Storage::SVE_Register:
        return Schedule::SVE_Map;
    default:
        return std::nullopt;
    }
}

} // namespace sdfgc::transforms
