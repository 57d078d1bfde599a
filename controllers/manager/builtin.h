// The controllers there are.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "controllers/core/controller.h"
#include "controllers/manager/tools.h"

namespace bth::controllers {

struct BuiltinController {
  std::string_view name;  // As in --controllers.
  std::unique_ptr<Controller> (*make)(const ControllerContext&, const ControllerTools&);
};

// In the order in which they are made and started.
const std::vector<BuiltinController>& BuiltinControllers();
std::vector<std::string_view> BuiltinControllerNames();

}  // namespace bth::controllers
