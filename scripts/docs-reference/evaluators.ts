import { stringify } from 'yaml';
import * as z from 'zod';
import type { Capability, Channel } from '../../src/domain/capability.ts';
import type { Evaluator, How } from '../../src/score/evaluators/evaluator.ts';
import { evaluators } from '../../src/score/evaluators/index.ts';
import { block, code, page, section, sentence, table } from './markdown.ts';
import { type JsonSchema, keyTable } from './schema-keys.ts';

const capabilityTexts: Readonly<Record<Capability, string>> = {
  'call-answer': 'a tool that is called directly',
  turns: 'a conversation',
  judge: 'a judge model',
  workspace: 'a work directory that an agent left behind',
};

/** Every evaluator: what it checks or measures, its config, what it needs, and an example. */
export function evaluatorsPage(): string {
  const ofKind = (isGate: boolean, kind: Evaluator['kind']): Evaluator[] =>
    evaluators.filter((evaluator) => evaluator.kind === kind && (evaluator.isGate ?? false) === isGate);
  const groups = [
    ['Assertions', 'An assertion passes or fails a trial.', ofKind(false, 'assertion')],
    ['Gates', 'A gate is an assertion on the work directory that an agent left behind.', ofKind(true, 'assertion')],
    ['Metrics', 'A metric measures a number. It never fails a trial.', ofKind(false, 'metric')],
  ] as const;
  return page(
    'Evaluators',
    `Scenarios name evaluators by their \`type\`. \`assay list evaluators <type>\` prints the config schema of one.`,
    ...groups.map(([title, purpose, members]) =>
      section(2, title, purpose, contents(members), ...members.map(evaluatorSection)),
    ),
  );
}

function contents(members: readonly Evaluator[]): string {
  return table(
    ['type', 'purpose'],
    members.map(({ type, summary }) => [`[${code(type)}](#${type})`, sentence(summary)]),
  );
}

function evaluatorSection(evaluator: Evaluator): string {
  const { type, summary, configSchema } = evaluator;
  const keys = keyTable(jsonSchemaOf(configSchema));
  return section(
    3,
    code(type),
    sentence(summary),
    needsText(evaluator),
    keys === '' ? 'It has no config.' : keys,
    block('yaml', stringify(exampleOf(evaluator), { lineWidth: 100 })),
  );
}

export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
}

function needsText(evaluator: Evaluator): string {
  const needed = evaluator.needs.map((capability) => capabilityTexts[capability]);
  return [needed.length > 0 ? `Needs ${needed.join(' and ')}.` : '', readsText(evaluator)]
    .filter((text) => text !== '')
    .join(' ');
}

const howTexts: Readonly<Record<How, string>> = {
  presence: 'fails',
  absence: 'passes',
  total: 'passes',
  exact: 'passes or fails',
};

/** Channels that must be complete, and for which answer. */
function readsText({ kind, reads, configSchema, example = {} }: Evaluator): string {
  const { channels, whereRead = {} } = reads(configSchema.parse(example));
  const declared = Object.entries(channels) as [Channel, How][];
  if (declared.length === 0) return '';
  const [how] = declared.map(([, one]) => one);
  const when = kind === 'metric' || how === undefined ? '' : ` where it ${howTexts[how]}`;
  const also = Object.keys(whereRead);
  const more = also.length === 0 ? '' : `, and of ${namesText(also)} those that its criteria read`;
  return `Needs all ${namesText(Object.keys(channels))} observed${when}${more}.`;
}

function namesText(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(names.map((name) => `\`${name}\``));
}

/** How a scenario file asks for it. */
function exampleOf({ type, example = {}, isGate = false }: Evaluator): unknown {
  if (isGate) return { evaluation: { gates: [{ type, ...(example as object) }] } };
  const hasConfig = Object.keys(example as object).length > 0;
  return { evaluators: [{ type, ...(hasConfig && { config: example }) }] };
}
