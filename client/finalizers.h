// Patches of metadata.finalizers.
#pragma once

#include <string_view>

#include "api/types/meta.h"
#include "client/patch.h"

namespace bth::client {

// The object with or without that one, upon the version that was read; all others stay.
Patch WithFinalizer(const types::ObjectMeta& meta, std::string_view finalizer);
Patch WithoutFinalizer(const types::ObjectMeta& meta, std::string_view finalizer);

}  // namespace bth::client
