// The main of the test binary: doctest's, which is slow to compile, alone in this file.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#define DOCTEST_CONFIG_TREAT_CHAR_STAR_AS_STRING  // As in printing.h.
#include <doctest/doctest.h>
