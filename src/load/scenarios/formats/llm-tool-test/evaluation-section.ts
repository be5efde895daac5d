import { relative } from 'node:path';
import * as z from 'zod';
import type { CompositeWeights, PartSpec } from '../../../../domain/scenario.ts';
import { type JudgeMeaning, readJudgeSection } from '../judge-section.ts';
import { unmetNeeds } from '../native-problems.ts';
import { refuseUnusable } from './gates-section.ts';
import type { LlmToolTestFile } from './llm-tool-test-schema.ts';
import { lookUp } from './lookup.ts';
import type { Reading } from './reading.ts';
import { missingKey, parseTolerantly } from './tolerant-parse.ts';

const gatesHint = 'Say what must be true of the work: `gates: [ … ]`, or `gates: []` if there is nothing to check.';

/** Everything that judges or measures the work, in the order of the layers, and the judge's own part of it. */
export async function readEvaluation(
  file: LlmToolTestFile,
  gates: readonly PartSpec[],
  reading: Reading,
): Promise<{ readonly evaluators: readonly PartSpec[]; readonly judge: JudgeMeaning } | undefined> {
  refuseUnjudged(file, reading);
  refuseUnmetNeeds(file, reading);
  for (const [index, part] of file.evaluators.entries()) {
    if (isGate(part, reading)) await refuseUnusable(part, ['evaluators', index, 'config'], reading);
  }
  const scripts = scriptEvaluators(file, reading);
  const judge = await readJudge(file, reading);
  if (!judge) return undefined;
  const interaction: PartSpec = { type: 'interaction', config: {} };
  return { evaluators: [interaction, ...gates, ...scripts, ...file.evaluators, ...judge.evaluators], judge };
}

function isGate({ type }: PartSpec, { context }: Reading): boolean {
  return context.parts.evaluators.some((evaluator) => evaluator.type === type && evaluator.isGate === true);
}

/** The weights of the layers; those that are left out count as they always did. */
export function compositeWeights(file: LlmToolTestFile, { source, found }: Reading): CompositeWeights | undefined {
  const section = file.evaluation?.composite;
  if (!section) return undefined;
  const { gate_weight: gates = 0.35, judge_weight: judge = 0.55, interaction_weight: interaction = 0.1 } = section;
  if (gates + judge + interaction === 0) {
    const message = 'the weights add up to 0, so there is no score';
    found.problems.push({ at: source.locate(['evaluation', 'composite']), message });
  }
  return { gates, judge, interaction };
}

async function readJudge(file: LlmToolTestFile, reading: Reading): Promise<JudgeMeaning | undefined> {
  const { source, context, found } = reading;
  const isForced = context.defaults.isJudgeForced ?? false;
  const read = await readJudgeSection(file.evaluation?.judge, source, context.folder, isForced, {
    path: ['evaluation', 'judge'],
    usualEvidence: 'optional',
    async findRubric(name) {
      const lookup = await lookUp({ name, kinds: ['file'] }, context);
      return 'path' in lookup ? relative(context.folder, lookup.path) : lookup;
    },
  });
  if ('choice' in read) return read;
  found.problems.push(...read);
  return undefined;
}

function scriptEvaluators(file: LlmToolTestFile, { source, context, found }: Reading): PartSpec[] {
  const type = 'script-evaluator';
  const schema = context.parts.evaluators.find((evaluator) => evaluator.type === type)?.configSchema ?? z.unknown();
  return file.scripts.evaluators.map((value, index) => {
    const prefix = ['scripts', 'evaluators', index];
    return { type, config: parseTolerantly({ schema, value, source, prefix }, found) };
  });
}

/** A scenario that nothing judges would always pass; who wants that has to say so. */
function refuseUnjudged({ evaluation, gates, evaluators }: LlmToolTestFile, { source, found }: Reading): void {
  if (gates ?? evaluation?.gates ?? evaluation?.judge) return;
  if (evaluators.length > 0) return;
  const missing = evaluation
    ? missingKey(source, ['evaluation'], 'gates', gatesHint)
    : missingKey(source, [], 'evaluation', gatesHint);
  found.problems.push(missing);
}

function refuseUnmetNeeds(file: LlmToolTestFile, { source, context, found }: Reading): void {
  const kind = context.parts.targets.find(({ type }) => type === 'cli-tool');
  if (kind) found.problems.push(...unmetNeeds(file, kind, source, context.parts));
}
