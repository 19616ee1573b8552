// The main of the test binary: doctest's, which is slow to compile, alone in this file.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
