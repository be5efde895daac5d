import type { Command } from 'commander';
import type { Project } from '../../compose/config/project.ts';
import { readCalibrated } from '../../compose/judge/calibrations.ts';
import type { JudgeOptions } from '../../compose/judge/judging.ts';
import { budgetIn } from '../../compose/run/cost-limits.ts';
import { findReporters } from '../../compose/run/write-reports.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import type { Emit } from '../../domain/run.ts';
import type { Reporter, StoredRun } from '../../report/reporters/reporter.ts';
import { readRunOutcome } from '../../report/reporters/run-figures.ts';
import { counted } from '../../shared/format.ts';
import type { VarianceSplit } from '../../shared/stats/variance-split.ts';
import { type CliContext, write } from './context.ts';
import { addRunOptions } from './options/run-options.ts';
import { integerOption } from './options/values.ts';
import { createProgress, type Progress, silentProgress } from './progress.ts';
import { exitCodeOf, JudgeNotices, reportRun } from './run-report.ts';

/** How much repeated judgements vary: as standard deviations, which are on the scale of the scores. */
function varianceText(split: VarianceSplit): string {
  const { judge, agent, judgeShare } = split;
  const counts = `${counted(split.judgements, 'judgement')} of ${counted(split.traces, 'trace')} (${counted(split.cases, 'case')})`;
  if (judge === null) return `  No trace has two judgements, so the judge's consistency is unknown: ${counts}.\n`;
  const ofJudge = `The same trace judged again differs by ${deviation(judge)}`;
  if (agent === null) {
    return `  ${ofJudge} (standard deviation of ${counts}).\n  Every case ran once, so the agent's variation is unknown: run it with --repeat.\n`;
  }
  if (judgeShare === null) return `  All scores of a case are the same: neither judge nor agent varies (${counts}).\n`;
  const percent = Math.round(judgeShare * 100);
  return `  ${ofJudge}, another repeat of the agent by ${deviation(agent)} (standard deviations of ${counts}).\n  ${percent} % of the variance of a score over repeats comes from the judge, ${100 - percent} % from the agent.\n`;
}

function deviation(variance: number): string {
  return Math.sqrt(variance).toFixed(3);
}

/** Flags of the commands that evaluate what was recorded before. */
export interface ScoringOptions extends Omit<RunOptions, 'scenario' | 'name'> {
  readonly repeatJudge?: number;
}

/** The flags that these commands share, spelt as those of `assay run`. */
export function addScoringOptions(command: Command, name: 'score trace' | 'score run'): void {
  command.option(
    '--repeat-judge <n>',
    'judge each trace this many times and report how consistent the judge is',
    integerOption(2, 25),
  );
  addRunOptions(command, name);
}

/** Reports the progress and the result of an evaluation. */
export class Scoring implements Disposable {
  readonly #options: ScoringOptions;
  readonly #project: Project;
  readonly #context: CliContext;
  readonly #reporters: readonly Reporter[];
  readonly #notices: JudgeNotices;
  readonly #progress: Progress;

  private constructor(options: ScoringOptions, project: Project, context: CliContext, notices: JudgeNotices) {
    this.#options = options;
    this.#project = project;
    this.#context = context;
    this.#notices = notices;
    this.#progress = options.quiet ? silentProgress(context) : createProgress(context);
    const names = options.json ? ['json'] : (options.reporters ?? project.config.reporters);
    this.#reporters = findReporters(names, project.parts.reporters);
  }

  static async prepare(options: ScoringOptions, project: Project, context: CliContext): Promise<Scoring> {
    return new Scoring(options, project, context, new JudgeNotices(await readCalibrated(project.folder)));
  }

  get judge(): JudgeOptions {
    const { maxUsd = budgetIn(this.#context.env), repeatJudge: samples } = this.#options;
    return { ...this.#options, maxUsd, samples };
  }

  get listeners(): Emit[] {
    return this.#options.quiet ? [] : [this.#progress.listen, this.#notices.listen];
  }

  /** Prints text while trials are scored. */
  print(text: string): void {
    this.#progress.print(text);
  }

  [Symbol.dispose](): void {
    this.#progress[Symbol.dispose]();
  }

  /** Prints notes to stderr. */
  async report(lines: readonly string[]): Promise<void> {
    if (this.#options.quiet) return;
    for (const line of lines) await write(this.#context.stderr, `  ${line}\n`);
  }

  /** Reports the run and gives the exit code. */
  async conclude(run: StoredRun): Promise<number> {
    const { repeatJudge, minPassRate, json } = this.#options;
    const context = this.#context;
    await write(context.stderr, this.#notices.text());
    const judgeVariance = repeatJudge === undefined ? undefined : await varianceOf(run);
    const judged = { ...run, judgeVariance, demands: { minPassRate } };
    const isReported = await reportRun(judged, this.#reporters, this.#options, this.#project, context);
    if (judgeVariance) {
      await write(json ? context.stderr : context.stdout, varianceText(judgeVariance));
    }
    return exitCodeOf(run.summary, await readRunOutcome(judged)) || (isReported ? 0 : 3);
  }
}

async function varianceOf({ store, summary }: StoredRun) {
  const { judgeVarianceOf } = await import('../../compose/judge/judge-variance.ts');
  return judgeVarianceOf(store, summary.run.runId);
}
