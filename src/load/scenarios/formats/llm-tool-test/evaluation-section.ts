import { relative } from 'node:path';
import * as z from 'zod';
import type { Problem } from '../../../../domain/problem.ts';
import type { CompositeWeights, PartSpec } from '../../../../domain/scenario.ts';
import { oldGateMessage } from '../../../../score/evaluators/gates/old-gates.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../../sources/parsed-source.ts';
import { pathText } from '../../../sources/schema-messages.ts';
import { unmetNeeds } from '../evaluators-section.ts';
import { evaluatorsOf, type JudgeMeaning, readJudgeSection, withJudge } from '../judge-section.ts';
import { missingKey, parseTolerantly } from '../tolerant-parse.ts';
import type { LlmToolTestFile, LlmToolTestReading } from './llm-tool-test-schema.ts';
import { lookUp } from './named-files.ts';

/** Paths of gates. */
const places: readonly DataPath[] = [['evaluation', 'gates'], ['gates']];

/** The checked gates of a scenario, in order; `binary` is for messages about removed kinds. */
export async function readGates(value: unknown, binary: string, reading: LlmToolTestReading): Promise<PartSpec[]> {
  const { source, found } = reading;
  const lists = places.flatMap((path) => {
    const gates = valueAt(value, path);
    return Array.isArray(gates) ? [{ path, gates: gates as readonly unknown[] }] : [];
  });
  const [, second] = lists;
  if (second) {
    const message = '`gates` are added to those of `evaluation.gates`';
    found.warnings.push({ at: source.locate(second.path), message });
  }
  const read = lists.flatMap(({ path, gates }) =>
    gates.map((gate, index) => {
      const place = [...path, index];
      return { place, gate: readGate(gate, binary, place, reading) };
    }),
  );
  for (const { place, gate } of read) if (gate) await refuseUnusable(gate, place, reading);
  return read.flatMap(({ gate }) => gate ?? []);
}

function readGate(
  gate: unknown,
  binary: string,
  path: DataPath,
  { source, context, found }: LlmToolTestReading,
): PartSpec | undefined {
  const kinds = context.parts.evaluators.filter((evaluator) => evaluator.isGate);
  const types = kinds.map((kind) => kind.type);
  const old = oldGateMessage(gate, binary);
  if (old !== undefined) {
    found.problems.push({ at: source.locate(path), ...onOneLine(old) });
    return undefined;
  }
  if (!isRecord(gate) || gate.type === undefined) {
    found.problems.push(noType(gate, path, types, source));
    return undefined;
  }
  const { type: written, ...fields } = gate;
  const kind = kinds.find(({ type }) => type === written || type === snakeCase(String(written)));
  if (kind) {
    const config = parseTolerantly({ schema: kind.configSchema, value: fields, source, prefix: path }, found);
    return { type: kind.type, config };
  }
  const typePath = [...path, 'type'];
  const message = `${pathText(typePath)} cannot be \`${typeof written === 'string' ? written : JSON.stringify(written)}\``;
  found.problems.push({ at: source.locate(typePath), message, hint: suggestion(String(written), types) });
  return undefined;
}

/** A hint has one line, so its YAML is written in braces. */
function onOneLine(old: string): Pick<Problem, 'message' | 'hint'> {
  const [head = old, ...yaml] = old.split('\n');
  const fields = yaml.map((line) => line.replace(/^(?:- | {2})/, ''));
  return { message: head.replace(/ Write instead:$/, ''), hint: `Write instead: - { ${fields.join(', ')} }` };
}

/** Refuses a gate with a regular expression, JSONPath, assertion or command that cannot be evaluated. */
async function refuseUnusable(gate: PartSpec, path: DataPath, { source, found }: LlmToolTestReading): Promise<void> {
  const { gateProblems } = await import('../../../../score/evaluators/gates/gate-problems.ts');
  const problems = await gateProblems(gate);
  found.problems.push(...problems.map(({ key, message }) => ({ at: source.locate([...path, key]), message })));
}

function noType(gate: unknown, path: DataPath, types: readonly string[], source: ParsedSource): Problem {
  const named = isRecord(gate) ? Object.keys(gate) : [gate];
  const meant = types.find((type) => named.some((name) => name === type || snakeCase(String(name)) === type));
  const hint = meant === undefined ? undefined : `Write \`type: ${meant}\`, and its fields beside it.`;
  if (!isRecord(gate)) {
    const message = `${pathText(path)} must be an object with a \`type\``;
    return { at: source.locate(path), message, hint: hint ?? suggestion('', types) };
  }
  return missingKey(source, path, 'type', hint ?? suggestion('', types));
}

/** Names of gates in the results of llm-tool-test. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

const gatesHint = 'Add `gates: [ … ]`, or `gates: []` if there is nothing to check.';

/** All evaluators in the order of the layers, and the judge. */
export async function readEvaluation(
  file: LlmToolTestFile,
  gates: readonly PartSpec[],
  reading: LlmToolTestReading,
): Promise<{ readonly evaluators: readonly PartSpec[]; readonly judge: JudgeMeaning } | undefined> {
  refuseUnjudged(file, reading);
  reading.found.problems.push(...unmetNeeds(file.evaluators, 'cli-tool', reading));
  for (const [index, part] of file.evaluators.entries()) {
    if (isGate(part, reading)) await refuseUnusable(part, ['evaluators', index, 'config'], reading);
  }
  const scripts = scriptEvaluators(file, reading);
  const judge = await readJudge(file, reading);
  if (!judge) return undefined;
  const interaction: PartSpec = { type: 'interaction', config: {} };
  const judged = withJudge(file.evaluators, judge, reading.context.parts.evaluators);
  return { evaluators: [interaction, ...gates, ...scripts, ...judged], judge };
}

function isGate({ type }: PartSpec, { context }: LlmToolTestReading): boolean {
  return context.parts.evaluators.some((evaluator) => evaluator.type === type && evaluator.isGate === true);
}

/** The weights of the layers, with the defaults of llm-tool-test. */
export function compositeWeights(
  file: LlmToolTestFile,
  { source, found }: LlmToolTestReading,
): CompositeWeights | undefined {
  const section = file.evaluation?.composite;
  if (!section) return undefined;
  const { gate_weight: gates = 0.35, judge_weight: judge = 0.55, interaction_weight: interaction = 0.1 } = section;
  if (gates + judge + interaction === 0) {
    const message = 'the weights add up to 0';
    found.problems.push({ at: source.locate(['evaluation', 'composite']), message });
  }
  return { gates, judge, interaction };
}

async function readJudge(file: LlmToolTestFile, reading: LlmToolTestReading): Promise<JudgeMeaning | undefined> {
  const { source, context, found } = reading;
  const isForced = context.defaults.isJudgeForced ?? false;
  const listed = evaluatorsOf(file.evaluators, context.parts.evaluators);
  const read = await readJudgeSection(file.evaluation?.judge, source, context.folder, isForced, listed, {
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

function scriptEvaluators(file: LlmToolTestFile, { source, context, found }: LlmToolTestReading): PartSpec[] {
  const type = 'script-evaluator';
  const schema = context.parts.evaluators.find((evaluator) => evaluator.type === type)?.configSchema ?? z.unknown();
  return file.scripts.evaluators.map((value, index) => {
    const prefix = ['scripts', 'evaluators', index];
    return { type, config: parseTolerantly({ schema, value, source, prefix }, found) };
  });
}

/** Refuses a scenario without evaluators, which would always pass. */
function refuseUnjudged(
  { evaluation, gates, evaluators, triggers }: LlmToolTestFile,
  { source, found }: LlmToolTestReading,
): void {
  if (gates ?? evaluation?.gates ?? evaluation?.judge) return;
  if (evaluators.length > 0 || triggers !== undefined) return;
  const missing = evaluation
    ? missingKey(source, ['evaluation'], 'gates', gatesHint)
    : missingKey(source, [], 'evaluation', gatesHint);
  found.problems.push(missing);
}
