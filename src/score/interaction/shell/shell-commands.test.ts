import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../../shared/shell-words.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import { findInvocations } from './shell-commands.ts';
import type { ShellExit } from './shell-exit.ts';

function linesIn(text: string): string[] {
  return findInvocations(text, 'task', { exit: undefined, isCertain: true }).map(({ line }) => line);
}

function exitsOf(text: string, exit: ShellExit): ShellExit[] {
  return findInvocations(text, 'task', { exit, isCertain: true }).map((invocation) => invocation.exit);
}

function certain(text: string, exit: ShellExit): string[] {
  const found = findInvocations(text, 'task', { exit, isCertain: true });
  return found.filter(({ isCertain }) => isCertain).map(({ line }) => line);
}

describe('findInvocations', () => {
  it.each([
    ['task', ['task']],
    ['task create   a\t b', ['task create a b']],
    ['task create "a b" \'c d\' e\\ f', ["task create 'a b' 'c d' 'e f'"]],
    ['task a && task b || task c; task d | task e & task f', 'abcdef'.split('').map((name) => `task ${name}`)],
    ['cd x && task list', ['task list']],
    ['task a|task b&&task c;task d>x', ['task a', 'task b', 'task c', 'task d']],
    ['task a\ntask b\r\ntask c', ['task a', 'task b', 'task c']],
    ['task a \\\n  --force', ['task a --force']],
    ['A=1 B="x y" task list', ['task list']],
    ['X=$(task list) other', ['task list']],
    ['echo "$(task list --json | head -1)"', ['task list --json']],
    ['echo `task list`', ['task list']],
    ['echo `echo \\`task list\\``', ['task list']],
    ['diff <(task list) <(task list --all)', ['task list', 'task list --all']],
    ['(task a; task b) && { task c; }', ['task a', 'task b', 'task c']],
    ['time task list', ['task list']],
    ['sudo -u root task list', ['task list']],
    ['env -i A=1 task list', ['task list']],
    ['timeout -s KILL 5 task list', ['task list']],
    ['nohup nice -n 5 task list &', ['task list']],
    ['ls | xargs -n 1 task import', ['task import']],
    ['if task doctor; then task a; else task b; fi', ['task doctor', 'task a', 'task b']],
    ['for x in $(task list); do task show $x; done', ['task list', "task show '$x'"]],
    ['while ! task ready; do sleep 1; done', ['task ready']],
    ['case $x in a) task a;; esac', ['task a']],
    ['! task list', ['task list']],
    ['/usr/bin/task list', ['task list']],
    ['./task list && ../bin/task show', ['task list', 'task show']],
    ['task list > out.txt 2>&1', ['task list']],
    ['task list 2>/dev/null | wc -l', ['task list']],
    ['task list &> log', ['task list']],
    ['task import <<< "task x"', ['task import']],
    ['task a # && task b', ['task a']],
    ['# task a\ntask b', ['task b']],
    ['bash -lc "task create \'a b\'"', ["task create 'a b'"]],
    ["/bin/bash -lc 'cd x && task list'", ['task list']],
    ['sh -e -c "task a; task b" name', ['task a', 'task b']],
    ['bash -c "bash -c \'task a\'"', ['task a']],
    ['eval "task a" b', ['task a b']],
    ['"task" list', ['task list']],
    ['cat <<EOF\ntask a\nEOF\ntask b', ['task b']],
    ["task import <<-'END' && task c\n\ttask a\n\tEND\ntask b", ['task import', 'task c', 'task b']],
    ['git commit -m "$(cat <<\'EOF\'\ntask a (fine)\nEOF\n)" && task b', ['task b']],
  ])('finds in %j', (text, lines) => {
    expect(linesIn(text)).toEqual(lines);
  });

  it.each([
    'echo task create',
    'echo "task create"',
    "echo 'x; task create'",
    'echo x\\; task create',
    'grep -r "task create" .',
    'mytask create',
    'task.sh create',
    'tasks list',
    'cat task/create',
    'command -v task',
    'which task',
    'for task in a b; do echo $task; done',
    'x="task create"',
    'cat > notes.md <<EOF\ntask create\n$(task list)\nEOF',
    'python3 -c "task create"',
    "printf '%s\n' 'task create' > todo",
    '[[ task == x ]]',
    '',
  ])('finds nothing in %j', (text) => {
    expect(linesIn(text)).toEqual([]);
  });

  it('finds a tool that is named by its path', () => {
    const found = findInvocations('/opt/bin/task list', '/opt/bin/task', { exit: 0, isCertain: true });
    expect(found).toMatchObject([{ line: 'task list', writtenLine: '/opt/bin/task list', isByPath: true, exit: 0 }]);
  });
});

describe('the exit code of a line', () => {
  it.each<[string, ShellExit, ShellExit[]]>([
    ['task a', 3, [3]],
    ['task a && task b', 0, [0, 0]],
    ['task a && task b && task c', 1, [0, 0, 1]],
    ['cd x && task a', 1, [1]],
    ['task a && echo done', 1, [1]],
    ['task a && npm test', 1, [undefined]],
    ['npm ci && task a', 1, [1]],
    ['[ -f x ] && task a', 1, [undefined]],
    ['command -v task && task a', 1, [undefined]],
    ['task a || task b', 0, [undefined, undefined]],
    ['task a || task b', 2, ['failed', 2]],
    ['task a || true', 0, [undefined]],
    ['task a && task b || task c', 2, [0, 'failed', 2]],
    ['task a || task b && task c', 0, [undefined, undefined, 0]],
    ['task a; task b', 1, [undefined, 1]],
    ['task a\ntask b', 0, [undefined, 0]],
    ['task a; echo $?', 0, [undefined]],
    ['task a | head', 0, [undefined]],
    ['cat x | task import', 2, [2]],
    ['task a &', 0, [undefined]],
    ['! task a', 0, ['failed']],
    ['! task a', 1, [0]],
    ['(cd x && task a)', 4, [4]],
    ['bash -lc "task a && task b"', 0, [0, 0]],
    ['x=$(task a)', 5, [5]],
    ['echo $(task a)', 0, [undefined]],
    ['if task a; then task b; fi', 0, [undefined, undefined]],
    ['set -e; task a; task b', 1, [undefined, undefined]],
    ['set -e; cd x; task b', 1, [1]],
    ['cd x || exit 1; task b', 1, [undefined]],
    ['cd x || exit 1; task b', 0, [0]],
    ['task a', undefined, [undefined]],
  ])('%s with %s', (text, exit, exits) => {
    expect(exitsOf(text, exit)).toEqual(exits);
  });

  it('reports which commands ran for certain', () => {
    expect(certain('task a && task b', 0)).toEqual(['task a', 'task b']);
    expect(certain('task a && task b', 1)).toEqual(['task a']);
    expect(certain('task a || task b', 0)).toEqual(['task a']);
    expect(certain('task a || task b', 1)).toEqual(['task a', 'task b']);
    expect(certain('cd x || exit; task b', 1)).toEqual([]);
    expect(certain('ls | xargs task import; task b', 0)).toEqual(['task b']);
    expect(certain('f() { task a; }; task b', 0)).toEqual([]);
    expect(certain('if x; then task a; fi; task b', 0)).toEqual(['task b']);
  });
});

describe('any text', () => {
  const fragments = fc.constantFrom(
    ...['task', ' ', '\n', '"', "'", '`', '$(', '(', ')', '{', '}', '((', '))', '${', '$', '\\', '#', '=', 'a'],
    ...['&&', '||', ';', '|', '&', '<', '>', '<<EOF', '<<', 'EOF', '&>', '2>', 'if', 'fi', 'for', 'case', 'do', '!'],
    ...['bash -c', 'sudo', 'xargs', 'env', '-', '\f', '\u00A0', '\u0000', 'é', '~', '*'],
  );

  it('is read without failing, and gives no more invocations than it names the tool', () => {
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        const found = findInvocations(text, 'task', { exit: 1, isCertain: true });
        expect(found.length).toBeLessThanOrEqual(text.split('task').length - 1);
      }),
      { seed: 41, numRuns: repetitions({ usual: 500, inFull: 5_000 }) },
    );
  });

  it('gives back arguments that were quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (args) => {
        const text = `cd x && task ${args.map(shellWord).join(' ')} | cat`;
        const [found] = findInvocations(text, 'task', { exit: 0, isCertain: true });
        expect(found?.argv).toEqual(['task', ...args]);
        expect(found?.isExact).toBe(true);
      }),
      { seed: 42, numRuns: repetitions({ usual: 40, inFull: 300 }) },
    );
  });

  it.each([
    '$(task ',
    '$(task)',
    '`task \\`',
    '(',
    '"$(',
    '{ task;',
    'task &&',
    'task | ',
    'bash -c "',
    '$((',
    '${x',
    '<<EOF\n',
    "'",
  ])('of 20,000 times %j is read to its end', (part) => {
    const text = `${part.repeat(20_000)}; task`;
    expect(findInvocations(text, 'task', { exit: 0, isCertain: true }).length).toBeLessThanOrEqual(20_001);
  });
});
