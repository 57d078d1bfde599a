// The one place that knows which Catch2 is installed: Debian 12 ships the single header of v2.
#pragma once

#include <catch2/catch.hpp>
