import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Project } from '../../compose/config/project.ts';
import { AssayError } from '../../domain/errors.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import type { SideSource } from '../../report/compare/side-collector.ts';
import { type CliContext, styleOf, write } from './context.ts';

/** The variants of a run that a judge ranks, and how the ranking is written. */
interface RankingRequest {
  readonly project: Project;
  readonly by: string;
  readonly sides: readonly CollectedSide[];
  /** Its trials are read once more. */
  readonly source: SideSource;
  readonly judgeModels: readonly string[] | undefined;
  readonly maxUsd: number | undefined;
  readonly isForced: boolean;
  readonly formats: readonly string[];
  readonly output: string | undefined;
}

/** Lets a judge compare every two variants, writes their ranking and gives the exit code. */
export async function rankVariants(request: RankingRequest, context: CliContext): Promise<number> {
  const { project, by, sides, source, formats, output, isForced } = request;
  const { rankingFormats } = await import('../../report/reporters/comparison/ranking.ts');
  const unknown = formats.find((name) => !Object.hasOwn(rankingFormats, name));
  if (unknown !== undefined) {
    throw new AssayError('USAGE', `A ranking of variants cannot be written as "${unknown}".`, {
      hint: `Choose from ${Object.keys(rankingFormats).join(', ')}, or name two variants with --a and --b.`,
    });
  }
  const [{ judgeVariants }, { rankJudged }] = await Promise.all([
    import('../../compose/judge/judge-pairs.ts'),
    import('../../report/compare/judged-ranking.ts'),
  ]);
  const flags = { models: request.judgeModels, maxUsd: request.maxUsd };
  const options = { project, flags, env: context.env, signal: new AbortController().signal, isForced };
  const pairs = await judgeVariants(sides, source, options);
  const labels = sides.map(({ label }) => label);
  const ranking = rankJudged({ runId: source.run.runId, by }, labels, pairs);
  for (const name of formats) {
    const format = rankingFormats[name];
    if (!format) continue;
    if (name === 'console' || (output === undefined && formats.length === 1)) {
      await write(context.stdout, format.render(ranking, styleOf(context.stdout, context.env)));
      continue;
    }
    const folder = resolve(context.cwd, output ?? '.');
    await mkdir(folder, { recursive: true });
    const path = join(folder, format.fileName);
    await writeFile(path, format.render(ranking, { color: false }));
    await write(context.stderr, `  ${name}: ${path}\n`);
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
