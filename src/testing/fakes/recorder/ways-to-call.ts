/** A shell script that calls `tool`, which becomes the program that it is given. */
export interface WayToCall {
  readonly script: string;
  /** Whether it takes more than a shell script to get it right. */
  readonly isSubtle?: true;
}

const exits = [0, 1, 2, 3, 42, 77, 100, 126, 127, 128, 129, 130, 137, 141, 143, 200, 254, 255].map((code) => ({
  script: `tool sh -c 'echo before; exit ${code}'; echo =$?`,
}));

const directExits = [0, 1, 127, 143, 255].map((code) => ({ script: `exec tool sh -c 'exit ${code}'` }));

const signals = 'TERM INT HUP KILL QUIT USR1 USR2 PIPE SEGV ABRT ALRM BUS FPE ILL TRAP XCPU VTALRM'.split(' ');

const deaths = signals.map(
  (signal): WayToCall => ({
    script: `ulimit -c 0; exec tool sh -c 'echo before; kill -${signal} $$; echo after'`,
    isSubtle: true,
  }),
);

const deathsSeenByShell = ['TERM', 'INT', 'KILL', 'SEGV', 'PIPE'].map((signal) => ({
  script: `ulimit -c 0; (tool sh -c 'kill -${signal} $$'; echo =$?) 2>/dev/null`,
}));

const silentDeath = { script: `ulimit -c 0; x=$(tool sh -c 'kill -SEGV $$' 2>&1) 2>/dev/null; echo "[$x]" =$?` };

const args = [
  `''`,
  `'' '' a ''`,
  `'two words' "it's" '"quoted"'`,
  `'line\nbreak' 'tab\there'`,
  `'$HOME' '\`date\`' '\\' '\\n' '*' '?'`,
  `'ünïcödé' '日本語' '🙂'`,
  `"$(printf '\\377\\376')" "$(printf 'a\\200b')"`,
  `-- -x --y=z -`,
  `= a=b =c`,
  `$(seq 1 1000)`,
  `"$(head -c 100000 /dev/zero | tr '\\0' x)"`,
].map((list) => ({ script: `tool sh -c 'printf "<%s>" "$@"; echo $#' sh ${list}` }));

const stdin = [
  `echo piped | tool cat`,
  `echo file >f; tool cat <f`,
  `tool cat <<X\nhere\nX`,
  `tool cat </dev/null; echo =$?`,
  `tool cat <&-; echo =$?`,
  `printf 'a\\nb\\nc\\n' | { tool sh -c 'read x; echo "got $x"'; cat; }`,
  `printf 'a\\nb\\nc\\n' >f; { tool head -c 2; cat; } <f`,
  `head -c 300000 /dev/urandom >f; tool cat <f | cmp - f; echo =$?; rm f`,
  `head -c 300000 /dev/zero | tool wc -c`,
  `yes | tool head -2`,
  `yes | tool true; echo =$?`,
  `mkfifo p; (echo a >p; echo b >p) & tool head -1 <p; rm p; wait`,
].map((script) => ({ script }));

const output = [
  `tool printf 'no newline'`,
  `tool true`,
  `tool perl -e 'print map { chr } 0 .. 255'`,
  `tool perl -e 'print STDERR map { chr } 0 .. 255'`,
  `tool seq 1 100000`,
  `tool seq 1 100000 >&2`,
  `tool sh -c 'echo out; echo err >&2; echo out; echo err >&2'`,
  `tool sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done' 2>&1`,
  `tool sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done' 2>&1 | cat`,
  `tool sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done' >f 2>&1`,
  `echo old >f; tool sh -c 'echo out; echo err >&2' >>f 2>>f`,
  `tool sh -c 'echo out; echo err >&2' >f 2>g`,
  `tool sh -c 'echo out; echo err >&2' 2>/dev/null`,
  `tool sh -c 'echo out; echo err >&2' >/dev/null`,
  `tool sh -c 'echo out; echo err >&2' >/dev/null 2>&1`,
  `tool sh -c 'echo out; echo err >&2' 3>&1 1>&2 2>&3`,
  `tool sh -c 'echo out' >&- 2>f; echo =$?; sed 's/^[^:]*: //' f; rm f`,
  `tool sh -c 'echo out; echo err >&2; exit 4' 2>&-; echo =$?`,
  `tool sh -c 'exit 5' >&- 2>&-; echo =$?`,
  `tool sh -c 'exit 6' <&- >&- 2>&-; echo =$?`,
  `tool sh -c 'ls -l /proc/self/fd | wc -l' <&-`,
  `tool sh -c '[ -e /proc/self/fd/1 ] && echo open >&2 || echo closed >&2' >&-`,
  `tool sh -c 'echo x' >/dev/full 2>/dev/null; echo =$?`,
  `tool sh -c 'echo three >&3' 3>f`,
  `echo in >f; tool sh -c 'cat <&3' 3<f`,
  `tool sh -c 'echo three >&3' 3>&1 | cat`,
  `printf 0123456789 >f; tool printf ab 1<>f`,
  `printf 0123456789 >f; { tool printf ab; tool printf cd; } 1<>f`,
  `{ echo one; tool echo two; echo three; } >f`,
  `tool sh -c 'exec >&-; sleep 0.05; echo late >&2'`,
  `tool sh -c '[ -f /dev/stdout ] && echo file >&2; [ -p /dev/stdout ] && echo pipe >&2; true' >f`,
  `tool sh -c '[ -t 1 ] && echo terminal || echo none'`,
  `mkfifo p; cat p & tool echo named >p; wait; rm p`,
].map((script) => ({ script }));

const pipes = [
  `tool seq 1 1000000 | head -1`,
  `bash -c 'tool yes | head -1; echo "\${PIPESTATUS[@]}"'`,
  `bash -c 'tool sh -c "trap \\"\\" PIPE; yes; echo \\$? >&2" 2>/dev/null | head -1; echo "\${PIPESTATUS[@]}"'`,
  `tool echo a | tool tr a b | tool cat`,
  `tool seq 1 50000 | tool tail -1 | tool wc -c`,
  `x=$(tool echo captured); echo "[$x]"`,
  `bash -c 'diff <(tool seq 5) <(seq 5)'; echo =$?`,
  `tool sh -c '(sleep 0.1; echo late) & echo early'`,
  `tool sh -c '(sleep 0.1; echo late; echo later >&2) & echo early' | cat`,
  `tool sh -c '(sleep 0.1; echo late) & echo early' >f; until grep -q late f; do sleep 0.02; done`,
].map((script) => ({ script }));

const control = [
  `tool sh -c 'trap "echo got; exit 5" TERM; touch r; while :; do sleep 0.02; done' & until [ -e r ]; do sleep 0.01; done; kill $!; wait $!; echo =$?`,
  `tool sh -c 'trap "" TERM; touch r; until [ -e go ]; do sleep 0.02; done; echo survived' & until [ -e r ]; do sleep 0.01; done; kill $!; touch go; wait $!; echo =$?`,
  `tool sh -c 'touch r; exec sleep 30' & until [ -e r ]; do sleep 0.01; done; kill -INT $!; kill -HUP $!; wait $! 2>/dev/null; echo =$?`,
  `{ yes; echo =$? >&2; touch r; } | tool sh -c 'exec <&-; until [ -e r ]; do sleep 0.02; done; echo end'`,
].map((script): WayToCall => ({ script, isSubtle: true }));

const surroundings = [
  `mkdir d; cd d; tool pwd; cd ..; rmdir d`,
  `umask 027; tool sh -c umask; tool touch f; stat -c %a f`,
  `ulimit -n 200; tool sh -c 'ulimit -n'`,
  `nice -n 5 tool nice`,
  `(trap '' HUP; tool sh -c 'kill -HUP $$; echo survived')`,
  `nohup tool sh -c 'kill -HUP $$; echo survived' 2>/dev/null`,
  `tool sh -c 'kill -INT $$; echo survived' & wait $!; echo =$?`,
  `timeout 0.2 tool sleep 5; echo =$?`,
  `timeout -s KILL 0.2 tool sleep 5; echo =$?`,
  `printf 'a\\nb\\n' | xargs -n1 tool echo`,
  `touch a b; find . -type f -exec tool basename {} \\; | sort`,
  `set -e; tool false; echo unreached`,
  `tool false || echo failed; tool true && echo worked; ! tool false; echo =$?`,
  `tool sleep 0.1 & tool sleep 0.1 & wait; echo =$?`,
  `"$(command -v tool)" echo by path`,
  `cd "$(dirname "$(command -v tool)")" && ./tool echo by relative path`,
].map((script) => ({ script }));

const environments = [
  `tool --bogus-option; echo =$?`,
  `tool no-such-program-here; echo =$?`,
  `tool | grep -v '^ASSAY_\\|^PATH=\\|^_=' | sort`,
  `env -i "$(command -v tool)"`,
  `env -i A=1 B='x y' "$(command -v tool)" | sort`,
  `env 'odd.name=1' 'BASH_FUNC_f%%=() { :; }' tool | grep -c 'odd.name\\|BASH_FUNC'`,
  `LC_ALL=xx_YY.UTF-8 tool | grep LC_`,
  `LANG=xx_YY.UTF-8 LC_CTYPE=zz tool | grep 'LC_\\|LANG' | sort`,
  `PERL5OPT='-Mno::such::module -w' tool | grep PERL`,
  `PERL_UNICODE=SDA tool printf '%s' 'ü' "$(printf '\\377')"`,
  `PERL5LIB=/nowhere PERLIO=:utf8 tool printf 'ü\\377'`,
  `PATH=/nowhere "$(command -v tool)" /bin/echo path`,
  `unset HOME TMPDIR; TMPDIR=/nowhere tool echo tmpdir`,
].map((script): WayToCall => ({ script, isSubtle: true }));

/** Ways to call a tool that must look the same whether a recorder stands in front of it or not. */
export const waysToCall: readonly WayToCall[] = [
  ...exits,
  ...directExits,
  ...deaths,
  ...deathsSeenByShell,
  silentDeath,
  ...args,
  ...stdin,
  ...output,
  ...pipes,
  ...control,
  ...surroundings,
  ...environments,
];
