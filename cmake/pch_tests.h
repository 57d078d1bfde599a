// As pch.h, for test programs.
#pragma once

#include "cmake/pch.h"
#include "tests/support/catch.h"
