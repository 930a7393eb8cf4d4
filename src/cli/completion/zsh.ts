import type { CommandWords, OptionWords } from './command-words.ts';

/** The completion for zsh: sourced, or in a file _perf-ts of a folder in fpath. */
export function zshCompletion(commands: readonly CommandWords[]): string {
  const described = commands.map(({ name, description }) => nameAndDescription(name, description));
  return `#compdef perf-ts
# perf-ts for zsh: source <(perf-ts completion zsh), after compinit
_perf-ts() {
  local -a candidates
  local command=\${words[2]} previous=\${words[CURRENT-1]} current=\${words[CURRENT]}
  if (( CURRENT == 2 )); then
    candidates=(${described.join(' ')})
    _describe command candidates
    return
  fi
  # What follows -- is the command that is measured.
  if (( \${words[(I)--]} > 0 && \${words[(I)--]} < CURRENT )); then
    _files
    return
  fi
  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
  esac
  if [[ $current == -* ]]; then
    case $command in
${commands.map(optionCase).join('\n')}
    esac
    _describe -o option candidates
    return
  fi
  _files
}
if [[ \${funcstack[1]} == _perf-ts ]]; then _perf-ts "$@"; else compdef _perf-ts perf-ts; fi
`;
}

function valueCases({ name, options }: CommandWords): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const patterns = option.names.map((each) => `'${name} ${each}'`).join('|');
      return `    (${patterns}) ${valuesOf(option)}; return ;;`;
    });
}

function valuesOf({ values, isEventList }: OptionWords): string {
  if (isEventList) {
    return `compset -P '*,'; compadd -- \${(f)"$(perf-ts completion events 2> /dev/null)"}`;
  }
  return values.length > 0 ? `compadd -- ${values.join(' ')}` : '_files';
}

function optionCase({ name, options }: CommandWords): string {
  const words = options.flatMap(({ names, description }) =>
    names.map((each) => nameAndDescription(each, description)),
  );
  return `      (${name}) candidates=(${words.join(' ')}) ;;`;
}

/** `'name:description'`, in which a quote ends and begins the word anew. */
function nameAndDescription(name: string, description: string): string {
  return `'${name}:${description.replaceAll("'", "'\\''")}'`;
}
