import type { PartSpec } from '../../../../domain/scenario.ts';
import { isRecord } from '../../../../shared/json.ts';
import { below, type ParsedSource } from '../../../sources/parsed-source.ts';
import { checkedEvaluator, planEvaluator } from '../conversation/evaluators-section.ts';
import { unmetNeeds } from '../native-problems.ts';
import type { Reading } from './reading.ts';

/** Further evaluators of a workflow, such as those of tool use; what is wrong with one is told with its place. */
export function workflowEvaluators(
  listed: readonly unknown[],
  index: number,
  targetType: string,
  { source, context, found }: Reading,
): PartSpec[] {
  const inWorkflow = { source: below(source, ['workflows', index]), context, found };
  refuseUnmetNeeds(listed, targetType, inWorkflow.source, { context, found });
  return listed.flatMap((item, place) =>
    planEvaluator(item, ['evaluators', place], inWorkflow).flatMap(
      (planned) => checkedEvaluator(planned, planned.config, inWorkflow) ?? [],
    ),
  );
}

function refuseUnmetNeeds(
  listed: readonly unknown[],
  targetType: string,
  source: ParsedSource,
  { context, found }: Pick<Reading, 'context' | 'found'>,
): void {
  const kind = context.parts.targets.find(({ type }) => type === targetType);
  const types = listed.map((item) => ({ type: isRecord(item) && typeof item.type === 'string' ? item.type : '' }));
  if (kind) found.problems.push(...unmetNeeds({ evaluators: types }, kind, source, context.parts));
}
