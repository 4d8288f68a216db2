#include "Driver/Reports/DeviceCounters.h"

namespace sdfgc::driver {
namespace {

using run::DeviceCounts;

std::string counted(int64_t n, const char *one, const char *many) { return std::to_string(n) + " " + (n == 1 ? one : many); }

} // namespace

std::string deviceText(const DeviceCounts &c) {
    std::string out;
    const auto add = [&out](int64_t n, const char *one, const char *many, int64_t bytes = -1) {
        if (n != 0)
            out += (out.empty() ? "" : ", ") + counted(n, one, many) + (bytes < 0 ? "" : " (" + std::to_string(bytes) + " bytes)");
    };
    add(c.kernels, "kernel", "kernels");
    add(c.libraryCalls, "call of a library", "calls of libraries");
    add(c.fills, "fill", "fills");
    add(c.copies, "copy within the device", "copies within the device");
    add(c.copiesIn, "copy to the device", "copies to the device", c.bytesIn);
    add(c.copiesOut, "copy to the host", "copies to the host", c.bytesOut);
    add(c.waits, "wait", "waits");
    add(c.graphs, "launch of a graph", "launches of graphs");
    add(c.allocations, "allocation", "allocations");
    return "device: " + (out.empty() ? "nothing" : out) + "\n";
}

json::Value deviceJson(const DeviceCounts &c) {
    json::Value v = json::Value::object();
    v.set("operations", c.operations());
    v.set("kernels", c.kernels);
    v.set("libraryCalls", c.libraryCalls);
    v.set("fills", c.fills);
    v.set("copies", c.copies);
    v.set("copiesIn", c.copiesIn);
    v.set("bytesIn", c.bytesIn);
    v.set("copiesOut", c.copiesOut);
    v.set("bytesOut", c.bytesOut);
    v.set("waits", c.waits);
    v.set("graphs", c.graphs);
    v.set("allocations", c.allocations);
    return v;
}

} // namespace sdfgc::driver
