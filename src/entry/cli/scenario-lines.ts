import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { importScenarios } from '../../load/scenarios/formats/conversation/import-scenarios.ts';
import {
  conversationsIn,
  type ScenarioData,
  scenarioLines,
} from '../../load/scenarios/formats/conversation/scenario-lines.ts';
import { counted } from '../../shared/format.ts';
import { type CliContext, write } from './context.ts';

/** Makes a scenario file of each line; good lines are imported although others are bad. */
export async function importLines(file: string, output: string | undefined, context: CliContext): Promise<number> {
  if (output === undefined) {
    const hint = 'Name one with -o, such as -o scenarios.';
    throw new AssayError('USAGE', 'There is no folder to import the scenarios into.', { hint });
  }
  const { files, problems } = await importScenarios(file, output, context.cwd);
  await write(context.stdout, files.map((name) => `${name}\n`).join(''));
  if (problems.length > 0) throw new ProblemsError(problems);
  return 0;
}

/** Writes the conversations among some scenarios as they stand in their files. */
export async function exportLines(
  file: string,
  scenarios: readonly Scenario[],
  folder: string,
  context: CliContext,
): Promise<number> {
  const chosen = scenarios.filter(({ target }) => target.type === 'conversation');
  if (chosen.length === 0)
    throw new AssayError('NOTHING_TO_RUN', 'None of these scenarios is a conversation.', {
      hint: 'Only conversations can be exported: other scenarios stand for files beside them.',
    });
  const lines: ScenarioData[] = [];
  for (const path of new Set(chosen.map((scenario) => scenario.file))) {
    const names = chosen.filter((scenario) => scenario.file === path).map(({ name }) => name);
    const found = await conversationsIn(path, folder);
    lines.push(...found.filter(({ name }) => names.includes(String(name))));
  }
  if (file === '-') await write(context.stdout, scenarioLines(lines));
  else await writeFile(resolve(context.cwd, file), scenarioLines(lines));
  const others = scenarios.length - chosen.length;
  const leftOut = others > 0 ? `; ${counted(others, 'other scenario')} left out` : '';
  await write(context.stderr, `${counted(lines.length, 'conversation')} exported${leftOut}\n`);
  return 0;
}
