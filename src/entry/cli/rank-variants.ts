import type { Project } from '../../compose/config/project.ts';
import type { JudgeOptions } from '../../compose/judge/judging.ts';
import type { KeptJudgings } from '../../compose/judge/kept-judgings.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import type { Store } from '../../keep/store/store.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import type { SideSource } from '../../report/compare/side-collector.ts';
import { sidesOfRun, tableOfSides } from '../../report/compare/variants/variants-of-run.ts';
import type { CliContext } from './context.ts';
import { type DocumentFlags, requireStored, wantsPage, writeDocument, writePage } from './write-document.ts';

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
  readonly document: DocumentFlags;
}

/** Lets a judge compare every two variants, writes their ranking and gives the exit code. */
export async function rankVariants(request: RankingRequest, context: CliContext): Promise<number> {
  const { project, by, sides, source, stored, kept, isForced, document } = request;
  // Before anything is paid for.
  if (wantsPage(document)) requireStored('ranking', stored);
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
  await writeDocument({ name: 'ranking', content: ranking }, document, context);
  if (wantsPage(document) && stored) {
    const variants = tableOfSides(await sidesOfRun(stored.run, stored.store, by), stored.run, { by, force: isForced });
    await writePage('ranking', stored, { variants, ranking }, document, context);
  }
  return exitCodeOf(
    ranking.answer,
    pairs.every(({ answer }) => answer === 'not-comparable'),
  );
}

function exitCodeOf(answer: string, areNotComparable: boolean): number {
  if (areNotComparable) return 2;
  return answer === 'nothing-to-compare' ? 3 : 0;
}
