import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { openProject, type Project } from '../../../compose/config/project.ts';
import { projectRedaction } from '../../../compose/config/redaction.ts';
import type { ImproveParts } from '../../../compose/improve/improvement-context.ts';
import { ProjectJudging } from '../../../compose/judge/judging.ts';
import { budgetIn } from '../../../compose/run/cost-limits.ts';
import { keptRequest } from '../../../compose/run/start-options.ts';
import { assertSameOptions } from '../../../domain/assert-options.ts';
import { AssayError } from '../../../domain/errors.ts';
import {
  type ImprovableText,
  type Improvement,
  type ImprovementRequest,
  improvableTexts,
} from '../../../domain/improvement.ts';
import type { RunOptions } from '../../../domain/option-values.ts';
import type { Emit } from '../../../domain/run.ts';
import { writeWholeAtOnce } from '../../../shared/redacted-files.ts';
import { drawnOf } from '../../../shared/redaction/redaction.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { type CliContext, styleOf, write } from '../context.ts';
import { givenOptions } from '../given-options.ts';
import { addRunOptions } from '../options/run-options.ts';
import { integerOption, numberOption, textOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';
import { createProgress, type Progress, silentProgress } from '../progress.ts';
import { openStoreForRun } from '../project-store.ts';

interface ImproveFlags extends Omit<RunOptions, 'from'> {
  readonly what?: ImprovableText;
  readonly from?: string;
  readonly ideas?: number;
  readonly maxSteps?: number;
  readonly maxTrials?: number;
  readonly holdout?: number;
  readonly seed?: number;
  readonly proposer?: string;
  readonly apply?: boolean;
}

/** `assay experiment improve`: lets a model propose changes to a text, and keeps those that are shown to help. */
export const improve: CliCommand = {
  configure(command) {
    addImproveOptions(command.optionsGroup('Improvement:'));
    addRunOptions(command, 'experiment improve');
    command.addHelpText(
      'after',
      '\nExample:\n  assay experiment improve scenarios/ --what guidance --proposer anthropic/claude-sonnet-4-5 --max-usd 10\n\nExit codes: 0 an idea was kept, 2 a file or the request is wrong,\n3 no idea was kept, 130 interrupted.\n',
    );
  },
  async run(invocation) {
    const { context } = invocation;
    const flags = invocation.options as ImproveFlags;
    const project = await openProject(context.cwd, context.env);
    using progress = new StageProgress(flags.quiet === true, context);
    using interrupt = new Interrupt(() => progress.print('\n  Stopping …\n'));
    const parts = partsOf(flags, project, interrupt.signal, context, progress);
    const { beginImprovement, continueImprovement, applyImprovement } = await import(
      '../../../compose/improve/improve.ts'
    );
    const begun =
      flags.resume === undefined
        ? await beginImprovement(requestOf(invocation, project), parts)
        : await resumed(flags.resume, flags, project);
    await announce(begun, flags, context);
    const done = await continueImprovement(begun, parts);
    const ended = flags.apply && done.ending ? await applyImprovement(done, parts) : done;
    await report(ended, flags, project, context);
    if (ended.ending === null) return 130;
    return ended.diff === null ? 3 : 0;
  },
};

function addImproveOptions(command: Command): void {
  command
    .addOption(new Option('--what <text>', 'the text to improve').choices(improvableTexts))
    .option('--from <variant>', 'the variant to begin with, where there are several', textOption)
    .option('--proposer <model>', 'model that proposes ideas (default: the judge model of the config)', textOption)
    .option('--ideas <n>', 'ideas in each step (default: 5)', integerOption(1, 20))
    .option('--max-steps <n>', 'most steps, each of which keeps one idea (default: 3)', integerOption(1, 20))
    .option('--max-trials <n>', 'most trials of the ideas of a step (default: 10 of each case)', integerOption(1))
    .option('--holdout <share>', 'share of the case families to hold out (default: 0.3)', numberOption(0.05, 0.9))
    .option('--seed <n>', 'decides which families are held out (default: 1)', integerOption(0))
    .option('--resume <improvement>', 'continue an improvement (its id, or `latest`)', textOption)
    .option('--apply', 'write the best version into the file');
}

/** Flags that are fixed when an improvement begins: rules that change with the results decide nothing. */
const fixedFlags = {
  what: '--what',
  from: '--from',
  proposer: '--proposer',
  ideas: '--ideas',
  maxSteps: '--max-steps',
  maxTrials: '--max-trials',
  holdout: '--holdout',
  seed: '--seed',
} as const satisfies Partial<Record<keyof ImproveFlags, string>>;

async function resumed(wanted: string, flags: ImproveFlags, project: Project): Promise<Improvement> {
  const given = (Object.keys(fixedFlags) as (keyof typeof fixedFlags)[]).find((key) => flags[key] !== undefined);
  if (given !== undefined) {
    throw new AssayError('USAGE', `${fixedFlags[given]} cannot be changed when an improvement is resumed.`, {
      hint: `Leave out ${fixedFlags[given]}, or begin a new improvement without --resume.`,
    });
  }
  const { readImprovement } = await import('../../../compose/improve/improvement-file.ts');
  const improvement = await readImprovement(project.folder, wanted);
  assertSameOptions(flags, improvement.request.run, improvement.id);
  return improvement;
}

/** The progress of the stage that runs; each stage is a run. */
class StageProgress implements Disposable {
  readonly #isQuiet: boolean;
  readonly #context: CliContext;
  #current: Progress;

  constructor(isQuiet: boolean, context: CliContext) {
    this.#isQuiet = isQuiet;
    this.#context = context;
    this.#current = silentProgress(context);
  }

  begin(): Emit[] {
    this[Symbol.dispose]();
    if (this.#isQuiet) return [];
    this.#current = createProgress(this.#context);
    return [this.#current.listen];
  }

  print(text: string): void {
    this.#current.print(text);
  }

  [Symbol.dispose](): void {
    this.#current[Symbol.dispose]();
  }
}

function partsOf(
  flags: ImproveFlags,
  project: Project,
  signal: AbortSignal,
  context: CliContext,
  progress: StageProgress,
): ImproveParts {
  return {
    project,
    env: context.env,
    signal,
    concurrency: flags.concurrency,
    openListeners: () => progress.begin(),
    openStore: () => openStoreForRun(context, flags.store, project),
    notice: (line) => {
      if (!flags.quiet) progress.print(`  ${line}\n`);
    },
  };
}

function requestOf(invocation: Invocation, project: Project): ImprovementRequest {
  const { context } = invocation;
  const flags = invocation.options as ImproveFlags;
  const { what } = flags;
  if (what === undefined) {
    throw new AssayError('USAGE', 'An improvement needs --what: the text to improve.', {
      hint: `Choose one of ${improvableTexts.join(', ')}.`,
    });
  }
  return {
    run: keptRequest(givenOptions(invocation, project), project),
    what,
    from: flags.from ?? null,
    ideas: flags.ideas ?? 5,
    maxSteps: flags.maxSteps ?? 3,
    maxTrials: flags.maxTrials ?? null,
    maxUsd: flags.maxUsd ?? budgetIn(context.env) ?? null,
    holdout: flags.holdout ?? 0.3,
    seed: flags.seed ?? 1,
    proposer: flags.proposer ?? usualProposer(flags, project, context),
  };
}

function usualProposer(flags: ImproveFlags, project: Project, { env }: CliContext): string {
  const [model] = new ProjectJudging(project, flags, env).modelNames({ models: [], samples: undefined });
  if (model !== undefined) return model;
  throw new AssayError('MODEL_NOT_NAMED', 'No model that proposes ideas is named.', {
    hint: 'Set --proposer, or `models.judge` in the config.',
  });
}

async function announce({ id, ending }: Improvement, { quiet }: ImproveFlags, context: CliContext): Promise<void> {
  if (quiet || ending) return;
  await write(context.stderr, `  ${id}; if it is interrupted: assay experiment improve --resume ${id}\n`);
}

/** The report stays beside the versions that were tried. */
async function report(
  improvement: Improvement,
  { json }: ImproveFlags,
  project: Project,
  context: CliContext,
): Promise<void> {
  const { improvementSections } = await import('../../../report/presentation/improvement-text.ts');
  const { drawMarkdown } = await import('../../../shared/blocks/draw-markdown.ts');
  const { drawText } = await import('../../../shared/blocks/draw-text.ts');
  const { improvementFolder } = await import('../../../compose/improve/improvement-file.ts');
  const file = join(improvementFolder(project.folder, improvement.id), 'report.md');
  const draw = (clean: Improvement): string => drawMarkdown(improvementSections(clean, true));
  writeWholeAtOnce(file, drawnOf(improvement, projectRedaction(project, context.env), draw));
  const style = styleOf(context.stdout, context.env);
  const text = json
    ? `${JSON.stringify(improvement, null, 2)}\n`
    : `\n${drawText(improvementSections(improvement, false), style)}`;
  await write(context.stdout, text);
  if (improvement.ending !== null) return;
  const { id } = improvement;
  await write(context.stderr, `\n  Interrupted. Continue with: assay experiment improve --resume ${id}\n`);
}
