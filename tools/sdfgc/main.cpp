#include "sdfgc/Driver/Driver.h"

#include <iostream>
#include <unistd.h>

int main(int argc, char **argv) {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    std::ios::sync_with_stdio(false);
    sdfgc::driver::installCrashHandlers(arguments);
    sdfgc::driver::Environment environment{std::cout, std::cerr, ::isatty(STDERR_FILENO) != 0};
    return sdfgc::driver::run(arguments, environment);
}
