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

/** Programs that run tests, scripts or programs of the folder that they are started in, whatever else they do. */
const runners =
  /(?:^|[\s;&|(])(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+\S+|run-script\s+\S+|test|t|start)|(?:python[\d.]*\s+-m\s+)?(?:pytest|unittest)|make|(?:cargo|go)\s+(?:test|run|build)|tox|rspec|jest|vitest)(?=$|[\s;&|)])/;

/** The words by which a shell command runs code of the work directory; undefined where none are known to. */
export function runnerIn(command: string): string | undefined {
  return runners.exec(command)?.[0].trim();
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
  const [program, ...rest] = words;
  if (program === undefined) return { programs: [], scripts: [] };
  if (starters.has(program)) return executedIn(rest.slice(rest.findIndex((word) => !/^(?:-|\d|\w+=)/.test(word))));
  const name = program.split('/').at(-1) ?? '';
  if (!interpreters.test(name)) return { programs: [program], scripts: [] };
  const script =
    rest[0] === '-c' || rest[0] === '-e' || rest[0] === '-m' ? undefined : rest.find((word) => !word.startsWith('-'));
  return { programs: [program], scripts: script === undefined ? [] : [script] };
}
