/**
 * Completion scripts. Each walks the words typed so far down the tree, past switches and their values, and offers what the
 * place it comes to has. For names of the town's own things they ask `town completion names`, and only there.
 */
import type { Place } from './words.ts';
import { inQuotes } from '../../../state/files/show-text.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const keyOf = (place: Place): string => place.path.join(' ');
const inner = (places: readonly Place[]): readonly Place[] => places.filter(({ path }) => path.length > 0);
/** A word that is chosen leads to a place of its own, where it is not offered again. */
const withChoices = (places: readonly Place[]): readonly Place[] =>
  places.flatMap((place) => [
    { ...place, commands: [...place.commands, ...place.choices] },
    ...place.choices.map(({ text }) => ({ ...place, path: [...place.path, text] })),
  ]);
/** A line for each place whose argument names something. */
const named = (places: readonly Place[], line: (key: string, names: string) => string): string =>
  places.flatMap((place) => (place.names === null ? [] : [line(inQuotes(keyOf(place)), place.names)])).join('\n');
/** In the town that `--root` names, if it stands before. */
const ASK = 'town ${root:+"--root=$root"} completion names "$names" 2>/dev/null';
const offered = ({ commands, switches }: Place): string => [...commands, ...switches].map(({ text }) => text).join(' ');
const withValue = (places: readonly Place[]): string =>
  [
    ...new Set(places.flatMap(({ switches }) => switches.filter(({ hasValue }) => hasValue).map(({ text }) => text))),
  ].join('|');

function bash(places: readonly Place[]): string {
  const steps = inner(places).map((place) => `      ${inQuotes(keyOf(place))}) at="$next" ;;`);
  const offers = places.map((place) => `    ${inQuotes(keyOf(place))}) offer=${inQuotes(offered(place))} ;;`);
  return `# bash completion of town
_town() {
  local at='' next offer='' i word skip=0 names='' root=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((skip)); then skip=0; continue; fi
    [ "$word" != --root ] || root="\${COMP_WORDS[i + 1]}"
    case "$word" in
      ${withValue(places)}) skip=1; continue ;;
      --) return ;;
      -*) continue ;;
    esac
    next="\${at:+$at }$word"
    case "$next" in
${steps.join('\n')}
    esac
  done
  if ((skip)); then COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); return; fi
  case "$at" in
${offers.join('\n')}
  esac
  case "$at" in
${named(places, (key, names) => `    ${key}) names=${names} ;;`)}
  esac
  [ -z "$names" ] || offer="$offer $(${ASK} | cut -f1)"
  COMPREPLY=($(compgen -W "$offer" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _town town
`;
}

function zsh(places: readonly Place[]): string {
  const steps = inner(places).map((place) => `      ${inQuotes(keyOf(place))}) at="$next" ;;`);
  const said = (text: string, summary: string): string => inQuotes(`${text.replaceAll(':', '\\:')}:${summary}`);
  const offers = places.map(({ commands, switches, ...place }) => {
    const all = [...commands, ...switches].map(({ text, summary }) => said(text, summary));
    return `    ${inQuotes(keyOf({ commands, switches, ...place }))}) offer=(${all.join(' ')}) ;;`;
  });
  return `#compdef town
_town() {
  local at='' next word skip=0 i names='' root='' line
  local -a offer
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if ((skip)); then skip=0; continue; fi
    [ "$word" != --root ] || root="\${words[i + 1]}"
    case "$word" in
      ${withValue(places)}) skip=1; continue ;;
      --) _files; return ;;
      -*) continue ;;
    esac
    next="\${at:+$at }$word"
    case "$next" in
${steps.join('\n')}
    esac
  done
  if ((skip)); then _files; return; fi
  case "$at" in
${offers.join('\n')}
  esac
  case "$at" in
${named(places, (key, names) => `    ${key}) names=${names} ;;`)}
  esac
  if [ -n "$names" ]; then
    for line in "\${(@f)$(${ASK})}"; do
      [ -z "$line" ] || offer+=("\${\${line%%$'\t'*}//:/\\:}:\${line#*$'\t'}")
    done
  fi
  _describe 'town' offer
}
if [ "$funcstack[1]" = "_town" ]; then _town "$@"; else compdef _town town; fi
`;
}

function fish(places: readonly Place[]): string {
  const steps = inner(places).map((place) => `      case ${inQuotes(keyOf(place))}\n        set at "$next"`);
  const rows = places.flatMap((place) => {
    const here = `-n ${inQuotes(`test (__town_at) = "${keyOf(place)}"`)}`;
    return [
      ...place.commands.map(({ text, summary }) => `complete -c town -f ${here} -a ${text} -d ${inQuotes(summary)}`),
      ...(place.names === null ? [] : [`complete -c town -f ${here} -a '(__town_names ${place.names})'`]),
      ...place.switches.map(({ text, summary, hasValue }) => {
        const name = text.startsWith('--') ? `-l ${text.slice(2)}` : `-s ${text.slice(1)}`;
        return `complete -c town ${here} ${name}${hasValue ? ' -r' : ''} -d ${inQuotes(summary)}`;
      }),
    ];
  });
  return `# fish completion of town
function __town_at
  set -l at ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch $word
      case ${withValue(places).split('|').map(inQuotes).join(' ')}
        set skip 1
        continue
      case '-*'
        continue
    end
    set -l next (string trim "$at $word")
    switch $next
${steps.join('\n')}
    end
  end
  echo "$at"
end
function __town_names
  set -l words (commandline -opc)
  set -l at (contains -i -- --root $words)
  if test -n "$at"
    town --root $words[(math $at + 1)] completion names $argv[1] 2>/dev/null
  else
    town completion names $argv[1] 2>/dev/null
  end
end
${rows.join('\n')}
`;
}

/** The whole script. */
export function scriptFor(shell: Shell, places: readonly Place[]): string {
  return { bash, zsh, fish }[shell](withChoices(places));
}
