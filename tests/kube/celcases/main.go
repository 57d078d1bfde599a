// celcases prints cases of the expression language as JSON lines, with what Kubernetes makes of each.
//
//	celcases conformance           the language's public conformance cases (module cel.dev/expr)
//	celcases evaluate < EXPRESSIONS  one JSON string per line: an expression without variables
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"cel.dev/expr"
	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
	"cel.dev/expr/conformance/test"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// Case is one line of output.
type Case struct {
	Name          string                     `json:"name"`
	Expr          string                     `json:"expr"`
	Container     string                     `json:"container,omitempty"`
	DisableCheck  bool                       `json:"disableCheck,omitempty"`
	DisableMacros bool                       `json:"disableMacros,omitempty"`
	CheckOnly     bool                       `json:"checkOnly,omitempty"`
	Types         map[string]json.RawMessage `json:"types,omitempty"`
	Bindings      map[string]json.RawMessage `json:"bindings,omitempty"`
	// What the case demands: a value, or any error.
	Want      json.RawMessage `json:"want,omitempty"`
	WantError bool            `json:"wantError,omitempty"`
	WantType  json.RawMessage `json:"wantType,omitempty"`
	// What Kubernetes' environment gives.
	Kube      json.RawMessage `json:"kube,omitempty"`
	KubeError string          `json:"kubeError,omitempty"`
	KubeStage string          `json:"kubeStage,omitempty"` // "parse", "check" or "run"
	KubeType  string          `json:"kubeType,omitempty"`
	KubeCost  uint64          `json:"kubeCost"`
	// What it may cost at least and at most, as Kubernetes reckons beforehand.
	KubeEstimate []string `json:"kubeEstimate,omitempty"`
}

func main() {
	if len(os.Args) != 2 {
		fail("usage: celcases conformance | evaluate")
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	switch os.Args[1] {
	case "conformance":
		conformance(out)
	case "evaluate":
		evaluate(out)
	default:
		fail("celcases: unknown command %q", os.Args[1])
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(2)
}

func baseEnv() *cel.Env {
	set := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	env, err := set.Env(environment.NewExpressions)
	if err != nil {
		fail("celcases: %v", err)
	}
	return env
}

func evaluate(out *bufio.Writer) {
	env := baseEnv()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var c Case
		if err := json.Unmarshal(in.Bytes(), &c.Expr); err != nil {
			fail("celcases: %q: %v", in.Text(), err)
		}
		c.run(env, nil)
		c.print(out)
	}
}

func conformance(out *bufio.Writer) {
	folder := os.Getenv("CEL_TESTDATA")
	files, _ := filepath.Glob(filepath.Join(folder, "*.textproto"))
	if len(files) == 0 {
		fail("celcases: no *.textproto in CEL_TESTDATA %q", folder)
	}
	sort.Strings(files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			fail("celcases: %v", err)
		}
		var cases test.SimpleTestFile
		if err := prototext.Unmarshal(text, &cases); err != nil {
			fail("celcases: %s: %v", file, err)
		}
		for _, section := range cases.Section {
			for _, one := range section.Test {
				name := strings.TrimSuffix(filepath.Base(file), ".textproto") + "/" + section.Name + "/" + one.Name
				conform(name, one).print(out)
			}
		}
	}
}

func conform(name string, t *test.SimpleTest) *Case {
	c := &Case{Name: name, Expr: t.Expr, Container: t.Container, DisableCheck: t.DisableCheck,
		DisableMacros: t.DisableMacros, CheckOnly: t.CheckOnly}
	options := []cel.EnvOption{cel.Container(t.Container)}
	for _, decl := range t.TypeEnv {
		option, err := cel.ProtoAsDeclaration(decl)
		if err != nil {
			c.KubeError, c.KubeStage = err.Error(), "environment"
			return c
		}
		options = append(options, option)
		if ident := decl.GetIdent(); ident != nil {
			set(&c.Types, decl.Name, ident.Type)
		} else {
			set(&c.Types, decl.Name+"()", decl.GetFunction())
		}
	}
	if t.DisableMacros {
		options = append(options, cel.ClearMacros())
	}
	for variable, value := range t.Bindings {
		set(&c.Bindings, variable, value.GetValue())
	}
	switch want := t.ResultMatcher.(type) {
	case nil:
		c.Want = json.RawMessage(`{"boolValue":true}`)
	case *test.SimpleTest_Value:
		c.Want = raw(want.Value)
	case *test.SimpleTest_TypedResult:
		if want.TypedResult.Result != nil {
			c.Want = raw(want.TypedResult.Result)
		}
		c.WantType = raw(want.TypedResult.DeducedType)
	default:
		c.WantError = true
	}
	env, err := baseEnv().Extend(options...)
	if err != nil {
		c.KubeError, c.KubeStage = err.Error(), "environment"
		return c
	}
	c.run(env, t.Bindings)
	return c
}

func (c *Case) run(env *cel.Env, bindings map[string]*expr.ExprValue) {
	ast, issues := env.Parse(c.Expr)
	if issues.Err() != nil {
		c.KubeError, c.KubeStage = issues.Err().Error(), "parse"
		return
	}
	if !c.DisableCheck {
		ast, issues = env.Check(ast)
		if issues.Err() != nil {
			c.KubeError, c.KubeStage = issues.Err().Error(), "check"
			return
		}
		c.KubeType = ast.OutputType().String()
		if estimate, err := env.EstimateCost(ast, &library.CostEstimator{}); err == nil {
			c.KubeEstimate = []string{fmt.Sprint(estimate.Min), fmt.Sprint(estimate.Max)}
		}
	}
	program, err := env.Program(ast)
	if err != nil {
		c.KubeError, c.KubeStage = err.Error(), "run"
		return
	}
	variables := map[string]any{}
	for name, value := range bindings {
		v, err := cel.ProtoAsValue(env.CELTypeAdapter(), value.GetValue())
		if err != nil {
			c.KubeError, c.KubeStage = err.Error(), "bindings"
			return
		}
		variables[name] = v
	}
	result, details, err := program.Eval(variables)
	if details != nil && details.ActualCost() != nil {
		c.KubeCost = *details.ActualCost()
	}
	if err != nil {
		c.KubeError, c.KubeStage = err.Error(), "run"
		return
	}
	c.Kube = toJSON(result)
}

func toJSON(value ref.Val) json.RawMessage {
	if optional, ok := value.(*types.Optional); ok {
		if !optional.HasValue() {
			return json.RawMessage(`{"optional":null}`)
		}
		return json.RawMessage(`{"optional":` + string(toJSON(optional.GetValue())) + `}`)
	}
	v, err := cel.ValueAsProto(value)
	if err != nil {
		text, _ := json.Marshal(fmt.Sprint(value.Value()))
		return json.RawMessage(`{"opaque":` + string(text) + `,"type":"` + value.Type().TypeName() + `"}`)
	}
	return raw(v)
}

func set(into *map[string]json.RawMessage, name string, message proto.Message) {
	if *into == nil {
		*into = map[string]json.RawMessage{}
	}
	(*into)[name] = raw(message)
}

func raw(message proto.Message) json.RawMessage {
	text, err := protojson.Marshal(message)
	if err != nil {
		fail("celcases: %v", err)
	}
	return text
}

func (c *Case) print(out *bufio.Writer) {
	line, err := json.Marshal(c)
	if err != nil {
		fail("celcases: %s: %v", c.Name, err)
	}
	out.Write(line)
	out.WriteByte('\n')
}
