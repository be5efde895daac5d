import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Project } from '../../compose/config/project.ts';
import type { JudgeOptions } from '../../compose/judge/judging.ts';
import type { KeptJudgings } from '../../compose/judge/kept-judgings.ts';
import { writeReportFile } from '../../compose/run/write-reports.ts';
import { AssayError } from '../../domain/errors.ts';
import { type RunHeader, summarizeRun } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import type { Store } from '../../keep/store/store.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import type { JudgedRanking } from '../../report/compare/judged-ranking.ts';
import type { SideSource } from '../../report/compare/side-collector.ts';
import { sidesOfRun, tableOfSides } from '../../report/compare/variants/variants-of-run.ts';
import { rankingFormats } from '../../report/reporters/comparison/ranking.ts';
import { htmlReporter } from '../../report/reporters/html/html.ts';
import { type CliContext, styleOf, write } from './context.ts';

/** The variants of a run that a judge ranks, and how the ranking is written. */
interface RankingRequest {
  readonly project: Project;
  readonly by: keyof Variant;
  readonly sides: readonly CollectedSide[];
  readonly source: SideSource;
  /** Undefined for a run that comes from a file. */
  readonly stored: { readonly run: RunHeader; readonly store: Store } | undefined;
  readonly kept: KeptJudgings | undefined;
  readonly judgeModels: readonly string[] | undefined;
  readonly maxUsd: number | undefined;
  readonly isForced: boolean;
  readonly formats: readonly string[];
  readonly output: string | undefined;
}

/** The page of the run with the ranking in it. */
const pageFormat = 'html';

/** Lets a judge compare every two variants, writes their ranking and gives the exit code. */
export async function rankVariants(request: RankingRequest, context: CliContext): Promise<number> {
  const { project, by, sides, source, kept, isForced } = request;
  checkFormats(request);
  const [{ judgeVariants }, { rankJudged }] = await Promise.all([
    import('../../compose/judge/judge-pairs.ts'),
    import('../../report/compare/judged-ranking.ts'),
  ]);
  const flags: JudgeOptions = { judgeModels: request.judgeModels, maxUsd: request.maxUsd };
  const options = { project, flags, kept, env: context.env, signal: new AbortController().signal, isForced };
  const pairs = await judgeVariants(sides, source, options);
  const labels = sides.map(({ label }) => label);
  const ranking = rankJudged({ runId: source.run.runId, by }, labels, pairs);
  await kept?.writeRanking(ranking);
  await writeRanking(ranking, request, context);
  return exitCodeOf(
    ranking.answer,
    pairs.every(({ answer }) => answer === 'not-comparable'),
  );
}

/** Before anything is paid for. */
function checkFormats({ formats, stored }: RankingRequest): void {
  const available = [...Object.keys(rankingFormats), pageFormat];
  const unknown = formats.find((name) => !available.includes(name));
  if (unknown !== undefined) {
    throw new AssayError('USAGE', `A ranking of variants cannot be written as "${unknown}".`, {
      hint: `Choose from ${available.join(', ')}, or name two variants with --a and --b.`,
    });
  }
  if (formats.includes(pageFormat) && !stored) {
    throw new AssayError('USAGE', 'The run is not in the store, so its trials have no page.', {
      hint: 'Write the ranking as markdown or json instead.',
    });
  }
}

async function writeRanking(ranking: JudgedRanking, request: RankingRequest, context: CliContext): Promise<void> {
  const { formats, output } = request;
  const folder = resolve(context.cwd, output ?? '.');
  for (const name of formats) {
    if (name === pageFormat) {
      await write(context.stderr, `  html: ${await writePage(ranking, request, folder)}\n`);
      continue;
    }
    const format = rankingFormats[name];
    if (!format) continue;
    if (name === 'console' || (output === undefined && formats.length === 1)) {
      await write(context.stdout, format.render(ranking, styleOf(context.stdout, context.env)));
      continue;
    }
    await mkdir(folder, { recursive: true });
    const path = join(folder, format.fileName);
    await writeFile(path, format.render(ranking, { color: false }));
    await write(context.stderr, `  ${name}: ${path}\n`);
  }
}

async function writePage(
  ranking: JudgedRanking,
  { by, stored, isForced }: RankingRequest,
  folder: string,
): Promise<string | undefined> {
  if (!stored) return undefined;
  const { run, store } = stored;
  const variants = tableOfSides(await sidesOfRun(run, store, by), run, { by, force: isForced });
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  const page = { ...htmlReporter, fileName: 'ranking.html' };
  return writeReportFile(page, { store, summary, variants, ranking, opensWith: 'variants' }, folder);
}

function exitCodeOf(answer: string, areNotComparable: boolean): number {
  if (areNotComparable) return 2;
  return answer === 'nothing-to-compare' ? 3 : 0;
}
