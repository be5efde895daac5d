import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { PromotedCase } from '../../../compose/cases/promote/promote-trial.ts';
import { openProject, type Project } from '../../../compose/config/project.ts';
import { AssayError } from '../../../domain/errors.ts';
import { printable } from '../../../shared/text.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { integerOption, textOption } from '../options/values.ts';
import { openProjectStore, storeOption } from '../project-store.ts';

interface PromoteFlags {
  readonly output?: string;
  readonly name?: string;
  readonly criterion?: string;
  readonly assertTools?: boolean;
  readonly connector?: string;
  readonly binary?: string;
  readonly format?: string;
  readonly trial?: number;
  readonly edit?: boolean;
  readonly store?: string;
  readonly json?: boolean;
}

/** `assay cases promote`: a scenario from a trial or a trace. */
export const promote: CliCommand = {
  configure(command) {
    command
      .argument(
        '<trial>',
        'id of a stored trial, a run with one failed trial (`latest`), or a file with a trace',
        textOption,
      )
      .option('-o, --output <file>', 'scenario file to write (default: beside the scenario of the trial)', textOption)
      .option('--name <name>', 'name of the scenario', textOption)
      .option('--criterion <text>', 'what must not happen again, in plain words; a model judges it', textOption)
      .option('--assert-tools', 'expect the tools that were called; without it they are drafts in comments')
      .option('--connector <name>', 'for a trace of a conversation: connector or address of the agent', textOption)
      .option('--binary <program>', 'for a trace of a coding agent: program under test', textOption)
      .option('-f, --format <name>', 'for a trace: format of the file (default: detected)', textOption)
      .option('--trial <number>', 'for a trace: which trial of the file, from 1', integerOption(1))
      .option('--edit', 'open the file in $VISUAL or $EDITOR')
      .option(...storeOption)
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        '\nA trace has any format that `assay import` reads.\n\nExamples:\n  assay cases promote latest\n  assay cases promote t-4f7a1c2b --edit\n',
      );
  },
  async run({ args: [subject = ''], options, context }) {
    const flags = options as PromoteFlags;
    const project = await openProject(context.cwd, context.env);
    const trial = await findTrial(subject, flags, project, context);
    const { promoteTrial } = await import('../../../compose/cases/promote/promote-trial.ts');
    const promoted = await promoteTrial(trial, {
      project,
      env: context.env,
      name: flags.name,
      criterion: flags.criterion,
      assertsTools: flags.assertTools,
      connector: flags.connector,
      binary: flags.binary,
      output: flags.output && relative(project.folder, resolve(context.cwd, flags.output)),
    });
    const { text: _, ...document } = promoted;
    const report = flags.json
      ? `${JSON.stringify({ schema: 'assay.promote/1', ...document }, null, 2)}\n`
      : reportText(promoted, project, context);
    await write(context.stdout, report);
    if (flags.edit) await openEditor(resolve(project.folder, promoted.file), context);
    return 0;
  },
};

async function findTrial(subject: string, flags: PromoteFlags, project: Project, context: CliContext) {
  const { storedTrial, tracedTrial } = await import('../../../compose/cases/promote/recorded-trial.ts');
  const { cwd, env } = context;
  if (existsSync(resolve(cwd, subject)))
    return tracedTrial({ file: subject, cwd, format: flags.format, number: flags.trial, project, env });
  await using store = await openProjectStore(context, flags.store, project);
  return await storedTrial(subject, store, project);
}

function reportText({ file, name, fixture, notes }: PromotedCase, project: Project, { cwd }: CliContext): string {
  const here = (path: string): string => relative(cwd, resolve(project.folder, path)) || '.';
  return [
    `  ${here(file)}  ${printable(name)}`,
    ...(fixture === null ? [] : [`  ${here(fixture)}  its work directory`]),
    ...notes.map((note) => `  note: ${printable(note)}`),
    '',
    `  Check what it expects, then run it: assay run ${here(file)}`,
    '',
  ].join('\n');
}

async function openEditor(path: string, { env, stdin }: CliContext): Promise<void> {
  const editor = env.VISUAL || env.EDITOR;
  if (!editor)
    throw new AssayError('USAGE', 'The file was written, but no editor is set.', { hint: 'Set VISUAL or EDITOR.' });
  // The variable may hold options, which only a shell takes apart.
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], {
    stdio: [stdin.isTTY ? 'inherit' : 'ignore', 'inherit', 'inherit'],
    env,
  });
  const [code] = await new Promise<[number | null]>((done, fail) => {
    child.once('error', fail);
    child.once('close', (exitCode) => done([exitCode]));
  });
  if (code !== 0) throw new AssayError('USAGE', `The editor "${editor}" ended with exit code ${code}.`);
}
