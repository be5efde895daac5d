import type { PartSpec } from '../../../domain/scenario.ts';
import { type KnownTools, whyUnknown } from '../../../domain/tools/known-tools.ts';
import { isRecord } from '../../../shared/json.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { DataPath } from '../../sources/parsed-source.ts';
import type { PlannedEvaluator } from './evaluators-section.ts';
import type { FileReading } from './tolerant-parse.ts';

type Place = Pick<FileReading, 'source' | 'found'>;

/** A name of a tool or a skill in a file. */
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

/** Refuses skills in the configs of evaluators that no variant of the scenario has. */
export function refuseUnknownSkills(
  evaluators: readonly { readonly config: unknown }[],
  skills: readonly string[],
  { source, found }: Place,
): void {
  for (const [index, { config }] of evaluators.entries()) {
    const { skill } = isRecord(config) ? config : {};
    if (typeof skill !== 'string' || skills.includes(skill)) continue;
    const hint = skills.length > 0 ? suggestion(skill, skills) : 'Add the folder of the skill to `skills`.';
    const at = source.locate(['evaluators', index, 'config', 'skill']);
    found.problems.push({ at, message: `No skill is called \`${skill}\`.`, hint });
  }
}

/**
 * Refuses names of tools in checked evaluators that mention a server in another spelling. Which tools a server has, and
 * what it calls itself, is known only in the trial.
 */
export function refuseUnknownServers(
  evaluators: readonly PartSpec[],
  servers: readonly string[],
  { source, context, found }: Place & Pick<FileReading, 'context'>,
): void {
  const planned = evaluators.flatMap(({ type, config }, index) => {
    const evaluator = context.parts.evaluators.find((each) => each.type === type);
    const path = ['evaluators', index, 'config'];
    return evaluator ? [{ evaluator, when: undefined, config, path, hasTemplates: false }] : [];
  });
  refuseUnknownTools(planned, { tools: [], servers, isComplete: false }, { source, found });
}

/** Refuses names of tools in evaluators; one whose config depends on its case is checked in the trial. */
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
