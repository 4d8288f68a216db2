// One rank of a job under mpirun: the operations of PblasCases.h with ScaLAPACK.
#include "../PblasCases.h"

#include <cstdio>

int main(int argc, char **argv) {
    try {
        sdfgc::mpi::Program program;
        program.open();
        const std::string wrong = sdfgc::scalapack::test::tryAll(program, argc > 1 ? std::atoi(argv[1]) : 6);
        std::fputs(wrong.c_str(), stderr);
        return wrong.empty() ? 0 : 1;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
