import { existsSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { executedWords } from '../../../../drive/targets/agent-task/executed-words.ts';
import { isRecord } from '../../../../shared/json.ts';
import { type DataPath, valueAt } from '../../../sources/parsed-source.ts';
import type { LlmToolTestReading } from './llm-tool-test-schema.ts';

/** Commands that run tests or programs of the work, whatever else they do. */
const runsWork =
  /(?:^|[\s;&|(])(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+\S+|run-script\s+\S+|test|t|start)|(?:python[\d.]*\s+-m\s+)?(?:pytest|unittest)|make|(?:cargo|go)\s+(?:test|run|build)|tox|rspec|jest|vitest)(?=$|[\s;&|)])/;

/** Where the files of a work directory come from. */
interface WorkSources {
  readonly template: string | undefined;
  /** Whether a setup may make more files. */
  readonly hasSetup: boolean;
}

/** Warns about gates that run the work without saying so, and about files that are not there. */
export function warnOfGates(value: unknown, sources: WorkSources, { source, found }: LlmToolTestReading): void {
  const places: readonly DataPath[] = [['evaluation', 'gates'], ['gates']];
  for (const path of places) {
    const gates = valueAt(value, path);
    if (!Array.isArray(gates)) continue;
    for (const [index, gate] of gates.entries()) {
      if (!isRecord(gate) || typeof gate.command !== 'string' || gate.runs === 'work') continue;
      const message = warningOf(gate.command, sources);
      if (message !== undefined) found.warnings.push({ at: source.locate([...path, index, 'command']), ...message });
    }
  }
}

function warningOf(command: string, { template, hasSetup }: WorkSources) {
  const [tests] = runsWork.exec(command) ?? [];
  if (tests !== undefined) {
    const message = `\`${tests.trim()}\` runs code that the agent wrote`;
    return { message, hint: 'Add `runs: work` to the gate.' };
  }
  const { programs, scripts } = executedWords(command);
  const named = [...programs.filter((word) => word.includes('/')), ...scripts].filter((word) => !word.includes('$'));
  for (const word of named) {
    if (isAbsolute(word)) {
      if (!existsSync(word)) return { message: `the gate runs \`${word}\`, which does not exist` };
      continue;
    }
    if (normalize(word).startsWith('..')) {
      const message = `the gate runs \`${word}\`, which is outside the work directory`;
      return { message, hint: 'Name files beside the scenario as `$ASSAY_SCENARIO_FOLDER/…`.' };
    }
    if (!hasSetup && (template === undefined || !existsSync(join(template, word)))) {
      const message = `the gate runs \`${word}\`, which is not in the template`;
      return { message, hint: 'Add `runs: work` to the gate if the agent makes it.' };
    }
  }
  return undefined;
}
