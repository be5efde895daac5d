import type { Command } from 'commander';
import type { Project } from '../../compose/config/project.ts';
import { readCalibrated } from '../../compose/judge/calibrations.ts';
import type { JudgeFlags } from '../../compose/judge/judging.ts';
import { budgetIn } from '../../compose/run/cost-limits.ts';
import { findReporters } from '../../compose/run/write-reports.ts';
import type { Emit } from '../../domain/run-event.ts';
import type { Reporter, StoredRun } from '../../report/reporters/reporter.ts';
import { type CliContext, write } from './context.ts';
import { exitCodeOf, wantedRate } from './exit-code.ts';
import { JudgeNotices } from './judge-notices.ts';
import { addJudgeOptions, type JudgeOptions, judgeFlags } from './judge-options.ts';
import { storeOption } from './open-project-store.ts';
import { integerOption, listOption, numberOption, textOption } from './option-values.ts';
import { createProgress } from './progress.ts';
import { reportRun } from './report-run.ts';

/** Flags of the commands that evaluate what was recorded before. */
export interface ScoringOptions extends JudgeOptions {
  readonly repeatJudge?: number;
  readonly concurrency?: number;
  readonly minPassRate?: number;
  readonly reporter?: string[];
  readonly output?: string;
  readonly store?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The flags that these commands share, spelt as those of `assay run`. */
export function addScoringOptions(command: Command): void {
  command
    .option(
      '--repeat-judge <n>',
      'ask the judge this often about each trace, and tell how steady it is',
      integerOption(2, 25),
    )
    .option('--concurrency <n>', 'trials at a time', integerOption(1, 1_000))
    .option('--min-pass-rate <x>', 'succeed when this share of the trials passed (0 to 1)', numberOption(0, 1))
    .option('-r, --reporter <names>', 'reports to write: console, json, junit, markdown', listOption)
    .option('-o, --output <dir>', 'folder for report files', textOption)
    .option(...storeOption)
    .option('--json', 'print one JSON document on stdout and nothing else')
    .option('-q, --quiet', 'no progress and no notices');
  addJudgeOptions(command);
}

/** Tells how the evaluation goes, and what came of it. */
export class Scoring {
  readonly #options: ScoringOptions;
  readonly #project: Project;
  readonly #context: CliContext;
  readonly #reporters: readonly Reporter[];
  readonly #notices: JudgeNotices;

  private constructor(options: ScoringOptions, project: Project, context: CliContext, notices: JudgeNotices) {
    this.#options = options;
    this.#project = project;
    this.#context = context;
    this.#notices = notices;
    const names = options.json ? ['json'] : (options.reporter ?? project.config.reporters);
    this.#reporters = findReporters(names, project.parts.reporters);
  }

  static async prepare(options: ScoringOptions, project: Project, context: CliContext): Promise<Scoring> {
    return new Scoring(options, project, context, new JudgeNotices(await readCalibrated(project.folder)));
  }

  /** A judge that is asked again must not answer from memory. */
  get judge(): JudgeFlags {
    const flags = { ...judgeFlags(this.#options), maxUsd: this.#options.maxUsd ?? budgetIn(this.#context.env) };
    const samples = this.#options.repeatJudge;
    return samples === undefined ? flags : { ...flags, samples, cache: false };
  }

  get listeners(): Emit[] {
    return this.#options.quiet ? [] : [createProgress(this.#context), this.#notices.listen];
  }

  /** Something that is good to know, on stderr. */
  async tell(lines: readonly string[]): Promise<void> {
    if (this.#options.quiet) return;
    for (const line of lines) await write(this.#context.stderr, `  ${line}\n`);
  }

  /** Reports the run and gives the exit code. */
  async conclude(run: StoredRun): Promise<number> {
    const { repeatJudge, minPassRate, json } = this.#options;
    const context = this.#context;
    await write(context.stderr, this.#notices.text());
    const judgeVariance = repeatJudge === undefined ? undefined : await varianceOf(run);
    const isReported = await reportRun(
      { ...run, judgeVariance },
      this.#reporters,
      this.#options,
      this.#project,
      context,
    );
    if (judgeVariance) {
      const { varianceText } = await import('./variance-text.ts');
      await write(json ? context.stderr : context.stdout, varianceText(judgeVariance));
    }
    return exitCodeOf(run.summary, await wantedRate(run, minPassRate)) || (isReported ? 0 : 3);
  }
}

async function varianceOf({ store, summary }: StoredRun) {
  const { judgeVarianceOf } = await import('../../compose/judge/judge-variance.ts');
  return judgeVarianceOf(store, summary.run.runId);
}
