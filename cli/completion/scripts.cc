#include "absl/strings/str_replace.h"
#include "base/strings.h"
#include "cli/completion/completion.h"
#include "cli/slurm/programs.h"

namespace bth::cli {
namespace {

// Bash cuts words at "=" and ":", which are put together again. Nothing of the line is run: of what
// a shell would replace only quotes, "~/" and the name of a variable are looked at.
constexpr char kBashScript[] =
    R"SH(# Completion of vcctl in bash 3.2 and later, with or without the package bash-completion.
_vcctl_plain() {
  REPLY=$1
  case $REPLY in
    \'?*\' | \"?*\") REPLY=${REPLY:1:${#REPLY}-2} ;;
    '~/'*) REPLY=$HOME/${REPLY:2} ;;
  esac
  if [[ $REPLY =~ ^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$ ]]; then
    local variable=${BASH_REMATCH[1]}
    REPLY=${!variable}
  fi
}

_vcctl_describe() {
  local i width=0 room=${COLUMNS:-80} text
  for text in "${COMPREPLY[@]}"; do ((${#text} <= width)) || width=${#text}; done
  for i in "${!COMPREPLY[@]}"; do
    [[ ${about[i]} ]] || continue
    printf -v text '%-*s  (%s)' "$width" "${COMPREPLY[i]}" "${about[i]}"
    ((${#text} < room)) || text=${text:0:room-3}..
    # Words of more than half a line are listed one below the other.
    printf -v 'COMPREPLY[i]' '%-*s' $((room / 2 + 1)) "$text"
  done
}

_vcctl() {
  local line=${COMP_LINE:0:COMP_POINT} words=() given=() about=() directive=4
  local i word gap typed prefix= behind= program REPLY
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap=${line%%[![:space:]]*}
    line=${line#"$gap"}
    word=${COMP_WORDS[i]}
    ((i < COMP_CWORD)) || word=$line
    line=${line#"$word"}
    if [[ $gap || $i == 0 ]]; then words+=("$word"); else words[${#words[@]}-1]+=$word; fi
  done
  typed=${words[${#words[@]}-1]#[\"\']}
  program=${words[0]}
  type -P -- "$program" >/dev/null || program=vcctl
  for word in "${words[@]:1:${#words[@]}-2}"; do
    _vcctl_plain "$word"
    given+=("$REPLY")
  done
  # Candidates are values; what the shell puts in their place begins behind its last break.
  if [[ $typed == -*=* ]]; then prefix=${typed%%=*}=; fi
  for word in = :; do
    [[ $COMP_WORDBREAKS == *"$word"* && ${typed##*"$word"} != "$typed" ]] || continue
    gap=${typed%"${typed##*"$word"}"}
    ((${#gap} <= ${#behind})) || behind=$gap
  done
  COMPREPLY=()
  while IFS= read -r word; do
    case $word in
      :[0-9]*) directive=${word#:} ;;
      ?*)
        gap=$prefix${word%%$'\t'*}
        COMPREPLY+=("${gap#"$behind"}")
        gap=${word#*$'\t'}
        [[ $gap != "$word" ]] || gap=
        about+=("$gap")
        ;;
    esac
  done <<<"$("$program" __complete ${given[@]+"${given[@]}"} "$typed" 2>/dev/null </dev/null)"
  ((!(directive & 2))) || compopt -o nospace 2>/dev/null
  ((directive & 4)) || compopt -o default 2>/dev/null
  # Where the shell puts in one of several, it must not put in what is said of it.
  if ((${#COMPREPLY[@]} > 1)) && [[ $COMP_TYPE != 37 && $COMP_TYPE != 42 ]]; then
    _vcctl_describe
  fi
}

complete -F _vcctl @PROGRAMS@
)SH";

constexpr char kZshScript[] = R"SH(#compdef @PROGRAMS@
# Completion of vcctl in zsh.
_vcctl() {
  local -a found more given match mbegin mend
  local line word typed=${(Q)PREFIX} program=${(Q)words[1]} directive=4
  whence -p -- "$program" >/dev/null || program=vcctl
  for word in "${(@Q)words[2,CURRENT-1]}"; do
    if [[ $word =~ '^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$' ]]; then word=${(P)match[1]}; fi
    if [[ $word == '~/'* ]]; then word=$HOME/${word#??}; fi
    given+=("$word")
  done
  for line in "${(@f)$("$program" __complete "${(@)given}" "$typed" 2>/dev/null </dev/null)}"; do
    case $line in
      :[0-9]*) directive=${line#:} ;;
      *$'\t'*) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      ?*) found+=("${line//:/\\:}") ;;
    esac
  done
  if [[ $PREFIX == -*=* ]]; then compset -P 1 '*='; fi
  if (( directive & 2 )); then more=(-S ''); fi
  if (( $#found )); then _describe -t words word found "${(@)more}"; fi
  if (( ! (directive & 4) )); then _files; fi
}

# The first call of an autoloaded file is one that asks.
if [[ $funcstack[1] == _vcctl ]]; then _vcctl "$@"; else compdef _vcctl @PROGRAMS@; fi
)SH";

constexpr char kFishScript[] = R"SH(# Completion of vcctl in fish.
function __vcctl_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program $words[1]
    type -q -- $program; or set program vcctl
    set -e words[1]
    set -l given
    for word in $words
        if string match -qr -- '^\$[A-Za-z_][A-Za-z0-9_]*$' $word
            set -l variable (string sub -s 2 -- $word)
            set word $$variable
        end
        set -a given (string replace -r -- '^~/' "$HOME/" "$word")
    end
    set -l prefix (string match -r -- '^-[^=]*=' $typed)
    set -l directive 4
    for line in ($program __complete $given "$typed" 2>/dev/null </dev/null)
        if string match -qr -- '^:[0-9]+$' $line
            set directive (string sub -s 2 -- $line)
        else
            printf '%s%s\n' "$prefix" $line
        end
    end
    if contains -- $directive 0 2
        set -l rest (string sub -s (math (string length -- "$prefix") + 1) -- "$typed")
        __fish_complete_path "$rest" | while read -l file
            printf '%s%s\n' "$prefix" $file
        end
    end
end

for program in @PROGRAMS@
    complete -c $program -f -a '(__vcctl_complete)'
end
)SH";

}  // namespace

std::string CompletionScript(std::string_view shell) {
  std::string_view script;
  if (shell == "bash") script = kBashScript;
  if (shell == "zsh") script = kZshScript;
  if (shell == "fish") script = kFishScript;
  std::string programs = "vcctl";
  for (const std::string_view program : kSlurmPrograms) StrAppend(&programs, " ", program);
  return absl::StrReplaceAll(ToAbsl(script), {{"@PROGRAMS@", programs}});
}

}  // namespace bth::cli
