# Completion of wtool for bash: asks `wtool complete` what fits. The package bash-completion reads this file from
# share/bash-completion/completions/wtool. To load it by hand: `. wtool.bash`.
_wtool() {
  local IFS=$'\n' line part start files= joins= candidates=() words=() i
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]}
  # Bash passes the words as they are typed, with a tilde that is not expanded.
  [[ $program != '~/'* ]] || program=$HOME/${program#'~/'}
  # Bash splits words at =, so `--output=text` and `name=value` are three words. They become one again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    # After `--output= `, the next word begins.
    [[ $i -lt $COMP_CWORD || -n $part || ${COMP_LINE:0:COMP_POINT} != *' ' ]] || joins=
    if [[ ${#words[@]} -gt 0 && ($part == =* || -n $joins) ]]; then words[-1]+=$part; else words+=("$part"); fi
    joins=
    [[ ! $part =~ ^=+$ ]] || joins=1
  done
  # Bash replaces only what follows the =.
  [[ ! $word =~ ^=+$ ]] || word=
  local typed=${words[-1]%"$word"}
  [[ $word == --*=* ]] && start=${word%%=*}=
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
      compopt -o filenames
      while IFS= read -r line; do candidates+=("$start$line"); done < <(compgen -f -- "${word#"$start"}")
    else
      candidates+=("${line#"$typed"}")
    fi
  done < <("$program" complete "${words[@]}" 2>/dev/null)
  COMPREPLY=("${candidates[@]}")
  # Bash quotes only names of files, but a run or a state may have any name: `$(command)` must stay a word.
  if [[ -z $files && ${#candidates[@]} -gt 0 ]]; then
    COMPREPLY=()
    for line in "${candidates[@]}"; do COMPREPLY+=("$(printf %q "$line")"); done
  fi
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _wtool wtool
