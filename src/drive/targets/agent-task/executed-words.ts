import { existsSync } from 'node:fs';
import { simpleCommands } from '../../../shared/shell-words.ts';

/** Programs whose first argument that is not an option is the script that they run. */
const interpreters = /^(?:ba|da|z|k)?sh$|^python[\d.]*$|^(?:node|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript|pwsh)$/;
/** Programs that start the program after their options and numbers. */
const starters: ReadonlySet<string> = new Set([
  'timeout',
  'time',
  'nice',
  'nohup',
  'stdbuf',
  'setsid',
  'sudo',
  'xargs',
]);

/** Programs that run tests, scripts, plug-ins or programs of the folder that they are started in, whatever else they do. */
const runners = [
  'ava|bazel|bunx|cargo|cmake|composer|eslint|flake8|gradle|jest|just|make|mix|mocha|mvn|mypy|ninja|nox|npx|phpunit',
  'playwright|pnpx|pre-commit|prettier|pylint|rake|rspec|sbt|stylelint|tox|vitest|yarn',
  '(?:npm|pnpm|bun)(?: -\\S+)* (?:exec|x|run \\S+|run-script \\S+|test|t|start)',
  '(?:python[\\d.]* -m )?(?:pytest|unittest|mypy|pylint|flake8|tox|nox)',
  'go (?:build|generate|run|test|vet)',
  '(?:deno|dotnet) (?:build|run|task|test)',
  '(?:bundle|poetry|pipenv|uv|hatch|pdm) (?:exec|run)',
];
const runner = new RegExp(`^(?:${runners.join('|')})(?= |$)`);

/** The words by which a shell command runs code of the work directory; undefined where none are known to. */
export function runnerIn(command: string): string | undefined {
  const inShells = [...command.matchAll(/\s-\w*c\s+(?:'([^']*)'|"([^"]*)")/g)].map(
    ([, single, double]) => single ?? double,
  );
  const started = simpleCommands(command, existsSync).map((words) => startedBy(words).join(' '));
  const found = started.flatMap((words) => runner.exec(words)?.[0] ?? []);
  return found[0] ?? inShells.map((text = '') => runnerIn(text)).find((words) => words !== undefined);
}

/** A simple command without the programs that only start another one. */
function startedBy(words: readonly string[]): readonly string[] {
  const [program = '', ...rest] = words;
  if (!starters.has(program)) return words;
  const first = rest.findIndex((word) => !/^(?:-|\d|\w+=)/.test(word));
  return first < 0 ? [] : startedBy(rest.slice(first));
}

/** Whether a command such as `npm test` runs code of the work directory, and names nothing of the scenario that it needs. */
export function runsOnlyWork(command: string): boolean {
  return runnerIn(command) !== undefined && !/\$\{?ASSAY_|(?:^|[\s"'=])\.{0,2}\//.test(command);
}

/** The parts that a shell command runs: its programs, and the scripts that it gives to interpreters. */
interface ExecutedWords {
  readonly programs: readonly string[];
  readonly scripts: readonly string[];
}

export function executedWords(command: string): ExecutedWords {
  const found = simpleCommands(command, existsSync).map(executedIn);
  return { programs: found.flatMap(({ programs }) => programs), scripts: found.flatMap(({ scripts }) => scripts) };
}

/** The same for the words of one simple command. */
export function executedIn(words: readonly string[]): ExecutedWords {
  const [program, ...rest] = startedBy(words);
  if (program === undefined) return { programs: [], scripts: [] };
  const name = program.split('/').at(-1) ?? '';
  if (!interpreters.test(name)) return { programs: [program], scripts: [] };
  const script =
    rest[0] === '-c' || rest[0] === '-e' || rest[0] === '-m' ? undefined : rest.find((word) => !word.startsWith('-'));
  return { programs: [program], scripts: script === undefined ? [] : [script] };
}
