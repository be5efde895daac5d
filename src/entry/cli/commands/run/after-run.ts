import type { Project } from '../../../../compose/config/project.ts';
import type { RunWebhooks } from '../../../../compose/webhooks/run-webhooks.ts';
import type { RunHeader } from '../../../../domain/run.ts';
import type { Store } from '../../../../keep/store/store.ts';
import type { CliContext } from '../../context.ts';
import type { Progress } from '../../progress.ts';

/** The webhooks of a project; undefined where it has none, so nothing is loaded for them. */
export async function webhooksOf(
  project: Project,
  { env }: Pick<CliContext, 'env'>,
  progress: Pick<Progress, 'print'>,
): Promise<RunWebhooks | undefined> {
  if (project.config.webhooks.length === 0) return undefined;
  const { RunWebhooks } = await import('../../../../compose/webhooks/run-webhooks.ts');
  return new RunWebhooks({ project, env, warn: (message) => progress.print(`  warning: ${message}\n`) });
}

/** The result of a run; one that breaks off is announced first. */
export async function orAnnounced<Result>(run: Promise<Result>, webhooks: RunWebhooks | undefined): Promise<Result> {
  try {
    return await run;
  } catch (error) {
    await webhooks?.broke(error);
    throw error;
  }
}

/** Sends a run where the config wants it; nothing is loaded otherwise. */
export async function exportIfWanted(
  { summary, store }: { readonly summary: { readonly run: RunHeader }; readonly store: Store },
  project: Project,
  { env, stderr }: CliContext,
): Promise<void> {
  if (project.config.export.otlp === undefined) return;
  const { exportAfterRun } = await import('../../../../compose/export/export-after-run.ts');
  const warn = (message: string) => void stderr.write(`  warning: ${message}\n`);
  await exportAfterRun(summary.run, { project, env, store, warn });
}
