import { type KnownTools, whyUnknown } from '../../../domain/tools/known-tools.ts';
import { isRecord } from '../../../shared/json.ts';
import type { PlannedEvaluator } from './evaluators-section.ts';
import type { FileReading } from './file-reading.ts';

/** Refuses evaluators about tools that nothing in the file has; one whose config depends on its case is checked in the trial. */
export function refuseUnknownTools(
  planned: readonly PlannedEvaluator[],
  known: KnownTools,
  { source, found }: Pick<FileReading, 'source' | 'found'>,
): void {
  for (const { evaluator, config, path, hasTemplates } of planned) {
    const parsed = hasTemplates ? undefined : evaluator.configSchema.safeParse(config ?? {});
    const names = parsed?.success ? (evaluator.reads(parsed.data).tools ?? []) : [];
    for (const name of names) {
      const why = whyUnknown(name, known);
      const at = source.locate(isRecord(config) && config.tool === name ? [...path, 'tool'] : path);
      if (why) found.problems.push({ at, ...why });
    }
  }
}
