import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openProject } from '../../../compose/config/project.ts';
import { checkScenarios } from '../../../compose/run/check-scenarios.ts';
import { AssayError } from '../../../domain/errors.ts';
import { formatProblem } from '../../../domain/problem.ts';
import { counted } from '../../../shared/format.ts';
import { writeNew } from '../../../shared/redacted-files.ts';
import { usersText } from '../../../shared/redaction/redacted.ts';
import { suggestion } from '../../../shared/suggest.ts';
import { type CliContext, write } from '../context.ts';

/** Programs whose files Assay runs, with how their files begin and where the differences are described. */
const programs: Readonly<Record<string, { readonly files: string; readonly next?: string }>> = {
  'llm-tool-test': { files: 'scenario files with `target`, `task` and `evaluation`' },
  mcpvals: { files: 'configs with `server`, and `workflows`, `toolHealthSuites` or other suites' },
  evalstudio: { files: 'scenarios with `connector`, `messages` and `evaluators`' },
  promptfoo: {
    files: 'promptfooconfig.yaml',
    next: 'To leave out what has no equal: assay import --config <file> writes the other tests as scenarios.',
  },
};

/**
 * `assay init --from`: files of another program stay as they are, and a config names them. Prints for each file what
 * runs, and for each part that does not, where it is and why.
 */
export async function initFrom(name: string, folder: string, context: CliContext): Promise<number> {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (!program) {
    const hint = suggestion(name, Object.keys(programs));
    throw new AssayError('USAGE', `Assay reads no files of "${name}".`, { hint });
  }
  const project = await openProject(folder, context.env);
  const { scenarios, problems, warnings } = await checkScenarios(['.'], project, context.env);
  const files = [...new Set([...scenarios, ...problems.map(({ at }) => at)].map(({ file }) => file))].sort();
  if (files.length === 0) {
    throw new AssayError('NOTHING_TO_RUN', `There are no files of ${name} in this folder.`, {
      hint: `Name a folder with ${program.files}: assay init <folder> --from ${name}.`,
    });
  }
  const lines = files.map((file) => {
    const own = scenarios.filter((scenario) => scenario.file === file);
    const cases = own.reduce((sum, { caseCount }) => sum + caseCount, 0);
    const refused = problems.filter(({ at }) => at.file === file).length;
    const state =
      refused > 0 ? `does not run: ${counted(refused, 'problem')}` : `runs as it is: ${counted(cases, 'case')}`;
    return `  ${file}  ${state}`;
  });
  const notes = [
    ...problems.map((problem) => `no equal: ${formatProblem(problem)}`),
    ...warnings.map((problem) => `warning: ${formatProblem(problem)}`),
  ];
  await write(context.stderr, notes.map((note) => `${note}\n`).join(''));
  const written = await writeConfig(project, files);
  const parts = [
    `Files of ${name}:\n${lines.join('\n')}\n`,
    `${written}\n`,
    ...(problems.length > 0 && program.next !== undefined ? [`${program.next}\n`] : []),
    problems.length > 0
      ? 'Fix these files, or take them out of `scenarios` in the config, then run:\n  assay run\n'
      : 'Now run:\n  assay run\n',
  ];
  await write(context.stdout, parts.join('\n'));
  return problems.length > 0 ? 3 : 0;
}

/** Names the files in a new config; a project that has a config keeps it. */
async function writeConfig(project: { folder: string; configFile: string | undefined }, files: readonly string[]) {
  if (project.configFile !== undefined) return `${basename(project.configFile)} is read as it is; nothing was written.`;
  const path = join(project.folder, 'assay.config.yaml');
  if (existsSync(path)) return `${basename(path)} is kept; nothing was written.`;
  const text = `scenarios:\n${files.map((file) => `  - ${JSON.stringify(file)}\n`).join('')}`;
  await writeNew(path, usersText(text));
  return 'Written: assay.config.yaml, which names these files. They stay as they are, and both programs can run them.';
}
