import { existsSync, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, normalize } from 'node:path';
import { executedWords, runnerIn } from '../../../../drive/targets/agent-task/executed-words.ts';
import { isRecord } from '../../../../shared/json.ts';
import { type DataPath, valueAt } from '../../../sources/parsed-source.ts';
import type { LlmToolTestReading } from './llm-tool-test-schema.ts';

/** Commands whose programs only a shell could name. */
const isProgram = /[{}`]|\$\(|<<|(?:^|[\s;&|(])(?:for|while|until|if|case|function|select|eval|source|alias)\s/;
/** Parts of every shell, beside the words that `simpleCommands` leaves out. */
const builtins: ReadonlySet<string> = new Set(
  '! [[ ]] break continue false getopts hash kill local pwd return shift times type ulimit umask wait'.split(' '),
);

/** Where the files and programs of a work directory come from. */
interface WorkSources {
  readonly template: string | undefined;
  /** Whether a setup may make more files and install programs. */
  readonly hasSetup: boolean;
  /** Programs under test. */
  readonly tools: readonly string[];
  /** PATH of this machine; undefined where graders have the programs of an image. */
  readonly path: string | undefined;
}

/** Commands that grade, by their places in a file. */
const graderPlaces: readonly { readonly path: DataPath; readonly name: string }[] = [
  { path: ['evaluation', 'gates'], name: 'gate' },
  { path: ['gates'], name: 'gate' },
  { path: ['scripts', 'post'], name: 'script' },
  { path: ['scripts', 'evaluators'], name: 'script' },
];

/** Warns about graders that run the work without saying so, and about files and programs that are not there. */
export function warnOfGraders(value: unknown, sources: WorkSources, reading: LlmToolTestReading): void {
  const { source, found, context } = reading;
  for (const { path, name } of graderPlaces) {
    const graders = valueAt(value, path);
    if (!Array.isArray(graders)) continue;
    for (const [index, grader] of graders.entries()) {
      if (!isRecord(grader) || typeof grader.command !== 'string' || grader.runs === 'work') continue;
      const command = grader.command.replace(
        /\$(?:ASSAY_SCENARIO_FOLDER|\{ASSAY_SCENARIO_FOLDER\})/g,
        context.directory,
      );
      const warning = (name === 'gate' && workWarning(command)) || missingWarning(command, name, sources);
      if (warning) found.warnings.push({ at: source.locate([...path, index, 'command']), ...warning });
    }
  }
}

interface Warning {
  readonly message: string;
  readonly hint?: string;
}

function workWarning(command: string): Warning | undefined {
  const runner = runnerIn(command);
  if (runner === undefined) return undefined;
  return { message: `\`${runner}\` runs code that the agent wrote`, hint: 'Add `runs: work` to the gate.' };
}

function missingWarning(command: string, name: string, sources: WorkSources): Warning | undefined {
  const { programs, scripts } = executedWords(command);
  const files = [...programs.filter((word) => word.includes('/')), ...scripts].filter((word) => !word.includes('$'));
  for (const word of files) {
    const warning = fileWarning(word, name, sources);
    if (warning) return warning;
  }
  const missing = isProgram.test(command) ? undefined : programs.find((word) => isMissing(word, sources));
  if (missing === undefined) return undefined;
  const message = `the ${name} runs \`${missing}\`, which is not a program on PATH`;
  return { message, hint: 'Install it on the machines that run this scenario, or correct the command.' };
}

function fileWarning(word: string, name: string, { template, hasSetup }: WorkSources): Warning | undefined {
  const subject = `the ${name} runs \`${word}\`, which`;
  if (isAbsolute(word)) return existsSync(word) ? undefined : { message: `${subject} does not exist` };
  if (normalize(word).startsWith('..')) {
    return {
      message: `${subject} is outside the work directory`,
      hint: 'Name files beside the scenario as `$ASSAY_SCENARIO_FOLDER/…`.',
    };
  }
  if (hasSetup || (template !== undefined && existsSync(join(template, word)))) return undefined;
  const hint = name === 'gate' ? { hint: 'Add `runs: work` to the gate if the agent makes it.' } : {};
  return { message: `${subject} is not in the template`, ...hint };
}

/** Whether a word can only be a program that this machine does not have. */
function isMissing(word: string, { path, tools, hasSetup }: WorkSources): boolean {
  if (path === undefined || hasSetup || !/^[\w.+-]+$/.test(word) || builtins.has(word)) return false;
  if (tools.some((tool) => basename(tool) === word)) return false;
  return !path
    .split(delimiter)
    .some((folder) => statSync(join(folder, word), { throwIfNoEntry: false })?.isFile() === true);
}
