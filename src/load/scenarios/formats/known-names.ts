import { type KnownTools, whyUnknown } from '../../../domain/tools/known-tools.ts';
import { isRecord } from '../../../shared/json.ts';
import type { DataPath } from '../../sources/parsed-source.ts';
import type { PlannedEvaluator } from './evaluators-section.ts';
import type { FileReading } from './file-reading.ts';

type Place = Pick<FileReading, 'source' | 'found'>;

/** A name of a tool in a file. */
export interface WrittenName {
  readonly name: string;
  readonly path: DataPath;
}

/** Refuses names of tools that nothing in the file has. */
export function refuseUnknownNames(names: readonly WrittenName[], known: KnownTools, { source, found }: Place): void {
  for (const { name, path } of names) {
    const why = whyUnknown(name, known);
    if (why) found.problems.push({ at: source.locate(path), ...why });
  }
}

/** The same for those of evaluators; one whose config depends on its case is checked in the trial. */
export function refuseUnknownTools(planned: readonly PlannedEvaluator[], known: KnownTools, place: Place): void {
  for (const { evaluator, config, path, hasTemplates } of planned) {
    const parsed = hasTemplates ? undefined : evaluator.configSchema.safeParse(config ?? {});
    const names = parsed?.success ? (evaluator.reads(parsed.data).tools ?? []) : [];
    const written = names.map((name) => ({
      name,
      path: isRecord(config) && config.tool === name ? [...path, 'tool'] : path,
    }));
    refuseUnknownNames(written, known, place);
  }
}
