// Which targets accept which input: the table Accepted.def.
#include "sdfgc/Pass/TargetTraits.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using pass::Acceptance;
using pass::accepted;
using pass::Family;

TEST_CASE("a target is of the family that its dialect says") {
    CHECK(pass::Target("cpu").family() == Family::Host);
    CHECK(pass::Target("cpu").dialect() == nullptr);
    CHECK(pass::Target("cuda").family() == Family::Gpu);
    CHECK(pass::Target("hip").dialect()->device == platform::Device::Hip);
    CHECK(pass::Target("none of them").family() == Family::Host);
    CHECK(pass::Target("cpu") == pass::Target("cpu"));
    CHECK_FALSE(pass::Target("cuda") == pass::Target("hip"));
}

TEST_CASE("every schedule, kind of memory and language has one row") {
    std::map<std::string, int> rows;
#define SDFGC_ACCEPTED(Kind, Name, Host, Gpu) ++rows[#Kind "::" #Name];
#include "sdfgc/Pass/Accepted.def"
    std::size_t wanted = 0;
    const auto check = [&](const std::string &name) {
        INFO(name);
        CHECK(rows[name] == 1);
        ++wanted;
    };
#define SDFGC_CHECK(Name) check("Schedule::" #Name);
    SDFGC_SCHEDULES(SDFGC_CHECK)
#undef SDFGC_CHECK
#define SDFGC_CHECK(Name) check("Storage::" #Name);
    SDFGC_STORAGES(SDFGC_CHECK)
#undef SDFGC_CHECK
#define SDFGC_CHECK(Name) check("Language::" #Name);
    SDFGC_LANGUAGES(SDFGC_CHECK)
#undef SDFGC_CHECK
    CHECK(rows.size() == wanted);
}

TEST_CASE("rows say for each family what becomes of a thing") {
    CHECK(accepted(ir::Schedule::Sequential, Family::Host).isAllowed());
    const Acceptance mpi = accepted(ir::Schedule::MPI, Family::Gpu);
    CHECK(mpi.isFine());
    CHECK_FALSE(mpi.isAllowed());
    CHECK(mpi.pass == "lower-mpi-maps");
    const Acceptance device = accepted(ir::Storage::GPU_Global, Family::Host);
    CHECK_FALSE(device.isFine());
    CHECK(device.kind == Acceptance::Other);
    CHECK(device.family == Family::Gpu);
    CHECK(accepted(ir::Storage::GPU_Global, Family::Gpu).isAllowed());
    CHECK(accepted(ir::Language::SystemVerilog, Family::Gpu).kind == Acceptance::Nobody);
}
