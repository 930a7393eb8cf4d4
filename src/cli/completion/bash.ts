import type { CommandWords, OptionWords } from './command-words.ts';

/** The completion for bash. It needs no bash-completion package. */
export function bashCompletion(commands: readonly CommandWords[]): string {
  return `# perf-ts for bash: eval "$(perf-ts completion bash)"
_perf_ts() {
  local line=\${COMP_LINE:0:COMP_POINT} IFS=$' \\t\\n' words= prefix= name
  local -a typed
  read -ra typed <<< "$line"
  # A blank at the end begins a new word.
  [[ $line == *[[:space:]] ]] && typed+=('')
  local last=$((\${#typed[@]} - 1))
  local current=\${typed[last]} previous=\${typed[last - 1]} command=\${typed[1]}
  COMPREPLY=()
  if ((last == 1)); then
    words='${commands.map(({ name }) => name).join(' ')}'
  else
    for name in "\${typed[@]:2:last - 2}"; do
      # What follows is the command that is measured.
      [[ $name == -- ]] && return
    done
    if [[ $current == --*=* ]]; then
      previous=\${current%%=*} current=\${current#*=}
    fi
    case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
    *)
      [[ $current == -* ]] && case "$command" in
${commands.map(optionCase).join('\n')}
      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current"))
  # bash replaces only what follows a colon, where the colon separates words.
  if [[ $prefix$current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local before=\${prefix}\${current}
    before=\${before%"\${before##*:}"}
    COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  fi
}
complete -o default -F _perf_ts perf-ts
`;
}

function valueCases({ name, options }: CommandWords): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const patterns = option.names.map((each) => `'${name} ${each}'`).join(' | ');
      return `    ${patterns}) ${valuesOf(option)} ;;`;
    });
}

function valuesOf({ values, isEventList }: OptionWords): string {
  if (isEventList) {
    return `prefix=\${current%"\${current##*,}"} current=\${current##*,} words=$(perf-ts completion events 2> /dev/null)`;
  }
  return values.length > 0 ? `words='${values.join(' ')}'` : 'return';
}

function optionCase({ name, options }: CommandWords): string {
  return `      ${name}) words='${options.flatMap(({ names }) => names).join(' ')}' ;;`;
}
