// Amounts in raw objects, and what their names stand for. Pure, any thread.
#pragma once

#include <optional>
#include <string_view>

#include "api/types/json.h"
#include "api/types/quantity.h"

namespace bth::rules {

// True for what Kubernetes accepts as a quantity, such as "100m", "1.5Gi" or 2.
bool IsQuantity(const types::Json& value);
// Nothing: it cannot be read, or is too large to count with.
std::optional<types::Quantity> QuantityOf(const types::Json& value);

// cpu, memory, ephemeral-storage and huge pages: what every node has, named without a domain.
bool IsStandardResource(std::string_view name);
bool IsHugePages(std::string_view name);
// Of Kubernetes itself: without a domain, or in kubernetes.io.
bool IsNativeResource(std::string_view name);
// Of a device plugin, or of an administrator: nvidia.com/gpu.
bool IsExtendedResource(std::string_view name);
// Nothing: the name is none of huge pages.
std::optional<types::Quantity> HugePageSize(std::string_view name);

bool IsWhole(const types::Quantity& amount);

}  // namespace bth::rules
