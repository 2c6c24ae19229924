#!/bin/sh
# Keys for tmux: the questions of the town that has this tmux server, and a jump to the next session that asks. TPM runs this
# file; without TPM a line in tmux.conf does: run-shell /path/to/townwatch.tmux. The keys run it again, with a word.
# Options, set before it runs: @town_questions_key (T), @town_jump_key (J).
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
self=$here/townwatch.tmux

# For a shell.
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }
# For an argument in which tmux expands formats; in a message it expands times too.
plain() { sed 's/#/##/g'; }

key() {
  named=$(tmux show-options -gqv "$1")
  printf '%s' "${named:-$2}"
}

# The town that holds this tmux server, else the usual one; by the command beside this file, else by that on the PATH.
run_town() {
  owner=$(tmux show-options -sqv @town_owner)
  if [ -n "$owner" ]; then set -- --root "${owner#* }" "$@"; fi
  if [ -x "$here/dist/town.cjs" ]; then "$here/dist/town.cjs" "$@"; else town "$@"; fi
}

case ${1:-} in
  '')
    asks="$(quoted "$self") questions"
    # tmux has popups from 3.2 on.
    if tmux list-commands | grep -q '^display-popup '; then
      tmux bind-key "$(key @town_questions_key T)" display-popup -E -w 80% -h 80% "$asks"
    else
      tmux bind-key "$(key @town_questions_key T)" split-window "$asks"
    fi
    tmux bind-key "$(key @town_jump_key J)" run-shell -b "$(quoted "$self" | plain) jump #{q:client_name}"
    ;;
  questions)
    [ -n "$(tmux show-options -sqv @town_owner)" ] || printf 'no town holds this tmux\n'
    if ! run_town questions --answer; then
      printf 'Enter closes this. '
      read -r _
    fi
    ;;
  jump)
    if ! said=$(run_town session attach --next-asking --client "$2" 2>&1); then
      tmux display-message -c "$2" -- "$(printf '%s' "$said" | plain | sed 's/%/%%/g')"
    fi
    ;;
  *)
    printf 'townwatch.tmux: questions, jump CLIENT, or nothing: bind the keys\n' >&2
    exit 2
    ;;
esac
