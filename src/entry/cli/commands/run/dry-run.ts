import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../../../../compose/config/project.ts';
import {
  estimateRun,
  type RunEstimate,
  sumEstimates,
  type VariantEstimate,
} from '../../../../compose/run/estimate-run.ts';
import { selectScenarios } from '../../../../compose/run/prepare-run.ts';
import { concurrencyFor } from '../../../../compose/run/run-project.ts';
import { variantText } from '../../../../domain/variant-text.ts';
import type { StartOptions } from '../../../../engine/feature.ts';
import { isPostgresUrl } from '../../../../keep/store/open-store.ts';
import { costText, counted, formatDuration } from '../../../../shared/format.ts';
import { type CliContext, write } from '../../context.ts';
import { openProjectStore } from '../../project-store.ts';

/** Prints what would run, its cost and the cached trials, without running anything. */
export async function dryRun(options: StartOptions, project: Project, context: CliContext): Promise<number> {
  const { env } = context;
  const { scenarios } = await selectScenarios(options, project, { env });
  await using store = hasHistory(options, project, env)
    ? await openProjectStore(context, options.store, project)
    : undefined;
  const estimates = await estimateRun(scenarios, { project, store, env, options });
  const concurrency = options.concurrency ?? concurrencyFor(scenarios, project);
  const summary = summarize(estimates, concurrency, options.maxUsd);
  await write(
    context.stdout,
    options.json ? `${JSON.stringify({ estimates, ...summary }, null, 2)}\n` : dryRunText(estimates, summary),
  );
  return 0;
}

/** A store that is not there yet is not made: nothing is to be done. */
function hasHistory({ store }: StartOptions, { config, folder }: Project, env: CliContext['env']): boolean {
  const isNamed = store !== undefined || env.ASSAY_STORE !== undefined || isPostgresUrl(config.store);
  return isNamed || existsSync(join(folder, '.assay'));
}

interface Summary extends RunEstimate {
  readonly warning: string | null;
}

function summarize(estimates: readonly VariantEstimate[], concurrency: number, maxUsd: number | undefined): Summary {
  const summary = sumEstimates(estimates, concurrency);
  const isOver = maxUsd !== undefined && summary.costUsd > maxUsd;
  const warning = isOver
    ? `${costText(summary.costUsd)} is more than --max-usd ${maxUsd} allows; the run would stop there.`
    : null;
  return { ...summary, warning };
}

function dryRunText(estimates: readonly VariantEstimate[], summary: Summary): string {
  const lines = estimates.map((estimate) => `  ${estimateText(estimate)}`);
  const cached = summary.cached > 0 ? `, ${summary.cached} of them reused from earlier runs` : '';
  const time =
    summary.durationMs === null
      ? ''
      : `\n  Time: about ${formatDuration(summary.durationMs)}, from ${counted(summary.earlierTrials, 'earlier trial')}.`;
  const warning = summary.warning === null ? '' : `\n  warning: ${summary.warning}`;
  return `${lines.join('\n')}\n\n  ${counted(summary.trials, 'trial')} would run${cached}. Nothing was run.${costLine(summary)}${time}${warning}\n`;
}

/** Nothing where the trials are known to cost nothing. */
function costLine({ costUsd, isLowerBound }: Summary): string {
  if (costUsd === 0) return isLowerBound ? '\n  Cost: unknown.' : '';
  return `\n  Cost: ${isLowerBound ? 'at least ' : 'about '}${costText(costUsd)}.`;
}

function estimateText({
  scenario,
  file,
  variant,
  trials,
  cached,
  promptTokens,
  costUsd,
  costFrom,
}: VariantEstimate): string {
  const who = variantText(variant);
  const head = `${scenario}${who ? ` (${who})` : ''}  ${counted(trials, 'trial')}  ${file}`;
  if (promptTokens === null) return head;
  const prompt = promptTokens === 0 ? '' : `prompt about ${counted(promptTokens, 'token')}, `;
  const cost = costUsd === null ? `cost unknown (${costFrom})` : `${costText(costUsd)} (${costFrom})`;
  return `${head}\n      ${prompt}${cost}${cached > 0 ? `, ${cached} reused` : ''}`;
}
