#include "cel/types/checker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "cel/syntax/diagnostics.h"
#include "cel/syntax/operators.h"
#include "cel/syntax/source_text.h"
#include "cel/types/inference.h"
#include "cel/types/literal_rules.h"
#include "cel/types/overloads.h"
#include "cel/types/scopes.h"

namespace bth::cel {
namespace {

TypePtr TypeOfConstant(const Constant& constant) {
  struct {
    TypePtr operator()(std::nullptr_t) const { return Type::Null(); }
    TypePtr operator()(bool) const { return Type::Bool(); }
    TypePtr operator()(int64_t) const { return Type::Int(); }
    TypePtr operator()(uint64_t) const { return Type::Uint(); }
    TypePtr operator()(double) const { return Type::Double(); }
    TypePtr operator()(const std::string&) const { return Type::String(); }
    TypePtr operator()(const Bytes&) const { return Type::Bytes(); }
  } type_of;
  return std::visit(type_of, constant);
}

// Walks a tree with a stack of its own: what is to be done with a node, the next on top.
class TypeChecker final {
 public:
  TypeChecker(Ast ast, const Environment& environment, Diagnostics* diagnostics)
      : environment_(environment), diagnostics_(*diagnostics), scopes_(environment) {
    checked_.types.resize(ast.nodes.size(), Type::Dyn());
    checked_.references.resize(ast.nodes.size());
    checked_.ast = std::move(ast);
  }

  void Run() {
    tasks_.push_back({Todo::kVisit, ast().root});
    while (!tasks_.empty() && !inference_.exhausted()) {
      const Task task = tasks_.back();
      tasks_.pop_back();
      Do(task);
    }
    for (TypePtr& type : checked_.types) {
      type = inference_.Resolve(type, Inference::Unbound::kDyn);
    }
    if (inference_.exhausted()) {
      diagnostics_.ReportWhole("expression is too complex: its types take too long to find out");
    }
  }

  CheckedAst Take() { return std::move(checked_); }

 private:
  enum class Todo : uint8_t {
    kVisit,
    kFinish,    // All below a node is known.
    kOpenLoop,  // A comprehension's range and start are known.
    kEndLoop,   // Its condition and step are known.
    kClose,     // Its result is known.
  };
  struct Task {
    Todo todo;
    ExprId id;
  };

  Ast& ast() { return checked_.ast; }
  Expr& node(ExprId id) { return ast()[id]; }
  const TypePtr& type(ExprId id) const { return checked_.types[static_cast<size_t>(id)]; }
  Reference& reference(ExprId id) { return checked_.references[static_cast<size_t>(id)]; }
  TypePtr Known(const TypePtr& type) { return inference_.Resolve(type, Inference::Unbound::kKeep); }

  void SetType(ExprId id, TypePtr type) {
    inference_.CheckSize(*type);
    checked_.types[static_cast<size_t>(id)] = std::move(type);
  }
  void Fault(ExprId id, std::string what) { FaultAt(node(id).offset, std::move(what)); }
  void FaultAt(int32_t offset, std::string what) { diagnostics_.Report(offset, std::move(what)); }
  void FaultOfType(ExprId id, const Type& expected, const Type& found) {
    Fault(id,
          StrCat("expected type '", expected.ToString(), "' but found '", found.ToString(), "'"));
  }
  void FaultOfName(ExprId id, std::string_view name) {
    Fault(id, StrCat("undeclared reference to '", name, "' (in container '",
                     environment_.container(), "')"));
  }
  void Expect(ExprId id, const TypePtr& expected) {
    if (!inference_.Agree(expected, type(id))) {
      FaultOfType(id, *Known(expected), *Known(type(id)));
    }
  }

  void Do(const Task& task) {
    switch (task.todo) {
      case Todo::kVisit:
        return Visit(task.id);
      case Todo::kFinish:
        return Finish(task.id);
      case Todo::kOpenLoop:
        return OpenLoop(task.id);
      case Todo::kEndLoop:
        return EndLoop(task.id);
      case Todo::kClose:
        scopes_.Pop(1);
        return SetType(task.id, Known(type(node(task.id).comprehension->result)));
    }
  }

  // `children` are visited in their order, then the node is finished.
  void VisitThenFinish(ExprId id, const std::vector<ExprId>& children, Todo then = Todo::kFinish) {
    tasks_.push_back({then, id});
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      if (*child != kNoExpr) tasks_.push_back({Todo::kVisit, *child});
    }
  }

  void Visit(ExprId id) {
    const Expr& expr = node(id);
    switch (expr.kind) {
      case ExprKind::kConstant:
        return SetType(id, TypeOfConstant(expr.constant));
      case ExprKind::kIdent:
        if (!ResolveName(id, expr.name)) {
          FaultOfName(id, expr.name);
          SetType(id, Type::Error());
        }
        return;
      case ExprKind::kSelect:
        if (const auto name = QualifiedName(id); name && ResolveName(id, *name)) return;
        return VisitThenFinish(id, {expr.operand});
      case ExprKind::kCall:
        return VisitCall(id);
      case ExprKind::kList:
        return VisitThenFinish(id, expr.args);
      case ExprKind::kMap:
      case ExprKind::kStruct: {
        std::vector<ExprId> children;
        for (const Entry& entry : expr.entries) {
          children.push_back(entry.key);
          children.push_back(entry.value);
        }
        return VisitThenFinish(id, children);
      }
      case ExprKind::kComprehension:
        return VisitThenFinish(id, {expr.comprehension->range, expr.comprehension->accu_init},
                               Todo::kOpenLoop);
    }
  }

  void Finish(ExprId id) {
    switch (node(id).kind) {
      case ExprKind::kSelect: {
        const TypePtr field = FieldType(id, node(id).operand, node(id).name, false);
        return SetType(id, node(id).test_only ? Type::Bool() : Known(field));
      }
      case ExprKind::kCall:
        return FinishCall(id);
      case ExprKind::kList:
        return FinishList(id);
      case ExprKind::kMap:
        return FinishMap(id);
      case ExprKind::kStruct:
        return FinishStruct(id);
      default:
        return;
    }
  }

  // "a.b.c" of selections from a name. Nothing: the node is something else.
  std::optional<std::string> QualifiedName(ExprId id) {
    size_t length = 0;
    ExprId at = id;
    for (; node(at).kind == ExprKind::kSelect; at = node(at).operand) {
      if (node(at).test_only) return std::nullopt;
      length += node(at).name.size() + 1;
    }
    if (node(at).kind != ExprKind::kIdent) return std::nullopt;
    std::string name(length + node(at).name.size(), '.');
    size_t end = name.size();
    for (ExprId part = id;; part = node(part).operand) {
      const std::string& word = node(part).name;
      end -= word.size();
      name.replace(end, word.size(), word);
      if (part == at) return name;
      --end;  // The dot.
    }
  }

  // Makes the node the variable, constant or type of that name. False: none is declared.
  bool ResolveName(ExprId id, std::string_view name) {
    std::optional<Declared> declared = scopes_.Find(name);
    if (!declared) return false;
    Expr& expr = node(id);
    expr.kind = ExprKind::kIdent;
    expr.operand = kNoExpr;
    expr.name = declared->name;
    reference(id).name = std::move(declared->name);
    reference(id).constant = declared->constant;
    // Type parameters of declarations are open, each time anew. Variables of loops have none, but
    // may have a type that is still to be found out.
    std::map<std::string, TypePtr> parameters;
    const bool local = scopes_.IsLocal(expr.name);
    SetType(id, local ? declared->type : inference_.Instantiate(declared->type, &parameters));
    return true;
  }

  // The type of `operand`.field, which is asked for at `id`.
  TypePtr FieldType(ExprId id, ExprId operand, std::string_view field, bool optional) {
    TypePtr from = Known(type(operand));
    if (from->kind() == TypeKind::kOptional) {
      from = from->parameters()[0];
      optional = true;
    }
    TypePtr found = Type::Error();
    switch (from->kind()) {
      case TypeKind::kMap:
        found = from->parameters()[1];
        break;
      case TypeKind::kObject:
        found = DeclaredField(node(id).offset, *from, field);
        break;
      case TypeKind::kParam:  // It could be anything with fields, so it is left to the run.
        inference_.Agree(Type::Dyn(), from);
        found = Type::Dyn();
        break;
      case TypeKind::kDyn:
      case TypeKind::kAny:
      case TypeKind::kError:
        found = Type::Dyn();
        break;
      default:
        Fault(id, StrCat("type '", from->ToString(), "' does not support field selection"));
    }
    return optional ? Type::Optional(found) : found;
  }

  TypePtr DeclaredField(int32_t offset, const Type& object, std::string_view field) {
    if (object.fields() == nullptr) {
      FaultAt(offset, StrCat("unexpected failed resolution of '", object.name(), "'"));
      return Type::Error();
    }
    return FieldOf(offset, *object.fields(), field);
  }

  TypePtr FieldOf(int32_t offset, const ObjectFields& fields, std::string_view field) {
    if (TypePtr found = fields.FieldType(field)) return found;
    FaultAt(offset, StrCat("undefined field '", field, "'"));
    return Type::Error();
  }

  void VisitCall(ExprId id) {
    Expr& expr = node(id);
    if (expr.operand != kNoExpr) {
      // a.b.f(x) is a function a.b.f if there is one.
      const std::optional<std::string> prefix = QualifiedName(expr.operand);
      std::string qualified;
      if (prefix && scopes_.FindFunction(StrCat(*prefix, ".", expr.name), &qualified)) {
        expr.operand = kNoExpr;
        expr.name = std::move(qualified);
      }
    }
    std::vector<ExprId> children = expr.args;
    children.push_back(expr.operand);
    VisitThenFinish(id, children);
  }

  void FinishCall(ExprId id) {
    const Expr& expr = node(id);
    if (expr.name == op::kOptSelect) return FinishOptionalSelect(id);
    std::string qualified;
    const Function* function = scopes_.FindFunction(expr.name, &qualified);
    if (function == nullptr) {
      FaultOfName(id, expr.name);
      return SetType(id, Type::Error());
    }
    node(id).name = std::move(qualified);
    if (function->name == op::kAnd || function->name == op::kOr)
      return FinishLogical(id, *function);
    const bool member = expr.operand != kNoExpr;
    std::vector<TypePtr> args;
    if (member) args.push_back(type(expr.operand));
    for (const ExprId arg : expr.args) args.push_back(type(arg));
    std::optional<Resolution> resolution = ResolveOverloads(*function, args, member, &inference_);
    if (!resolution) {
      for (TypePtr& arg : args) arg = inference_.Resolve(arg, Inference::Unbound::kDyn);
      Fault(id, StrCat("found no matching overload for '", function->name, "' applied to '",
                       SignatureText(args, member), "'"));
      return SetType(id, Type::Error());
    }
    reference(id).overloads = std::move(resolution->overloads);
    SetType(id, resolution->result);
  }

  // Each operand of && and || has a message of its own.
  void FinishLogical(ExprId id, const Function& function) {
    TypePtr result = Type::Bool();
    for (const ExprId arg : node(id).args) {
      if (inference_.Agree(type(arg), Type::Bool())) continue;
      FaultOfType(arg, *Type::Bool(), *Known(type(arg)));
      result = Type::Error();
    }
    for (const Overload& overload : function.overloads) {
      reference(id).overloads.push_back(&overload);
    }
    SetType(id, result);
  }

  void FinishOptionalSelect(ExprId id) {
    const Expr& expr = node(id);
    const auto* field = std::get_if<std::string>(&node(expr.args[1]).constant);
    if (field == nullptr) {
      Fault(expr.args[1], "unsupported optional field selection");
      return SetType(id, Type::Error());
    }
    SetType(id, Known(FieldType(id, expr.args[0], *field, true)));
  }

  // What an entry with a question mark adds: the value in its optional.
  TypePtr ValueOfOptional(ExprId id) {
    TypePtr found = Known(type(id));
    if (found->kind() == TypeKind::kOptional) return found->parameters()[0];
    if (!IsDynOrError(*found)) FaultOfType(id, *Type::Optional(found), *found);
    return found;
  }

  // The type of elements of which one is `next`. Null: none so far.
  TypePtr Join(const TypePtr& so_far, const TypePtr& next) {
    if (so_far == nullptr) return next;
    return inference_.Agree(so_far, next) ? Inference::MoreGeneral(so_far, next) : Type::Dyn();
  }

  void FinishList(ExprId id) {
    const Expr& expr = node(id);
    TypePtr element;
    auto optional = expr.optional_args.begin();
    for (size_t i = 0; i < expr.args.size(); ++i) {
      const bool is_optional =
          optional != expr.optional_args.end() && *optional == static_cast<int32_t>(i);
      if (is_optional) ++optional;
      const ExprId arg = expr.args[i];
      element = Join(element, is_optional ? ValueOfOptional(arg) : type(arg));
    }
    if (element == nullptr) element = inference_.NewVariable();
    SetType(id, Type::List(element));
  }

  void FinishMap(ExprId id) {
    TypePtr key;
    TypePtr value;
    for (const Entry& entry : node(id).entries) {
      key = Join(key, type(entry.key));
      value = Join(value, entry.optional ? ValueOfOptional(entry.value) : type(entry.value));
    }
    if (key == nullptr) key = inference_.NewVariable();
    if (value == nullptr) value = inference_.NewVariable();
    SetType(id, Type::Map(key, value));
  }

  void FinishStruct(ExprId id) {
    const std::optional<Declared> declared = scopes_.FindGlobal(node(id).name);
    if (!declared) {
      FaultOfName(id, node(id).name);
      return SetType(id, Type::Error());
    }
    node(id).name = declared->name;
    reference(id).name = declared->name;
    if (const Message* message = environment_.FindMessage(declared->name)) {
      SetType(id, message->type);
      for (const Entry& entry : node(id).entries) {
        CheckField(entry, FieldOf(entry.offset, *message->fields, entry.field));
      }
      return;
    }
    const Type& named = *declared->type;
    TypePtr object = Type::Error();
    if (named.kind() != TypeKind::kType || named.parameters().empty()) {
      Fault(id, StrCat("'", named.name(), "' is not a type"));
    } else if (named.parameters()[0]->kind() != TypeKind::kObject) {
      Fault(id, StrCat("'", named.parameters()[0]->name(), "' is not a message type"));
    } else {
      object = named.parameters()[0];
    }
    SetType(id, object);
    if (object->kind() == TypeKind::kError) return;
    for (const Entry& entry : node(id).entries) {
      CheckField(entry, DeclaredField(entry.offset, *object, entry.field));
    }
  }

  void CheckField(const Entry& entry, const TypePtr& field) {
    const TypePtr value = entry.optional ? ValueOfOptional(entry.value) : type(entry.value);
    if (inference_.Agree(field, value)) return;
    FaultAt(entry.offset,
            StrCat("expected type of field '", entry.field, "' is '", field->ToString(),
                   "' but provided type is '", Known(value)->ToString(), "'"));
  }

  // The types of a loop's one or two variables.
  std::pair<TypePtr, TypePtr> LoopVariables(ExprId range_id, bool two) {
    const TypePtr range = Known(type(range_id));
    switch (range->kind()) {
      case TypeKind::kList:
        return two ? std::pair(Type::Int(), range->parameters()[0])
                   : std::pair(range->parameters()[0], TypePtr());
      case TypeKind::kMap:
        return {range->parameters()[0], range->parameters()[1]};
      case TypeKind::kParam:
        inference_.Agree(Type::Dyn(), range);
        return {Type::Dyn(), Type::Dyn()};
      case TypeKind::kDyn:
      case TypeKind::kError:
        return {Type::Dyn(), Type::Dyn()};
      default:
        Fault(range_id, StrCat("expression of type '", range->ToString(),
                               "' cannot be range of a comprehension (must be list, map, or "
                               "dynamic)"));
        return {Type::Error(), Type::Error()};
    }
  }

  void OpenLoop(ExprId id) {
    const Comprehension& fold = *node(id).comprehension;
    scopes_.Push(fold.accu_var, type(fold.accu_init));
    const bool two = !fold.iter_var2.empty();
    auto [first, second] = LoopVariables(fold.range, two);
    scopes_.Push(fold.iter_var, std::move(first));
    if (two) scopes_.Push(fold.iter_var2, std::move(second));
    VisitThenFinish(id, {fold.condition, fold.step}, Todo::kEndLoop);
  }

  void EndLoop(ExprId id) {
    const Comprehension& fold = *node(id).comprehension;
    Expect(fold.condition, Type::Bool());
    Expect(fold.step, type(fold.accu_init));
    scopes_.Pop(fold.iter_var2.empty() ? 1 : 2);
    VisitThenFinish(id, {fold.result}, Todo::kClose);
  }

  const Environment& environment_;
  Diagnostics& diagnostics_;
  Scopes scopes_;
  Inference inference_;
  CheckedAst checked_;
  std::vector<Task> tasks_;
};

}  // namespace

absl::StatusOr<CheckedAst> Check(Ast ast, const Environment& environment) {
  const SourceText source(ast.source);
  Diagnostics diagnostics(source, environment.parse_options.limits.errors_max);
  TypeChecker checker(std::move(ast), environment, &diagnostics);
  checker.Run();
  if (!diagnostics.empty()) return diagnostics.ToStatus();
  CheckedAst checked = checker.Take();
  CheckLiterals(checked, environment, &diagnostics);
  for (const ExpressionRule& rule : environment.rules()) rule(checked, diagnostics);
  if (!diagnostics.empty()) return diagnostics.ToStatus();
  return checked;
}

}  // namespace bth::cel
