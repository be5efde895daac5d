import type { Problem } from '../../../../domain/problem.ts';
import type { PartSpec } from '../../../../domain/scenario.ts';
import { oldGateMessage } from '../../../../score/evaluators/gates/old-gates.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { pathText } from '../../../sources/issue-words.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../../sources/parsed-source.ts';
import type { Reading } from './reading.ts';
import { missingKey, parseTolerantly } from './tolerant-parse.ts';

/** Where gates may stand. */
const places: readonly DataPath[] = [['evaluation', 'gates'], ['gates']];

/** The gates of a scenario in order, checked against what each kind takes; `binary` is for words about old ones. */
export async function readGates(value: unknown, binary: string, reading: Reading): Promise<PartSpec[]> {
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
  { source, context, found }: Reading,
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

/** A problem has one line for its message and one for its hint, so that YAML has to be written in braces. */
function onOneLine(old: string): Pick<Problem, 'message' | 'hint'> {
  const [head = old, ...yaml] = old.split('\n');
  const fields = yaml.map((line) => line.replace(/^(?:- | {2})/, ''));
  return { message: head.replace(/ Write instead:$/, ''), hint: `Write instead: - { ${fields.join(', ')} }` };
}

/** Refuses a gate with a regular expression, JSONPath, assertion or command that cannot be evaluated. */
export async function refuseUnusable(gate: PartSpec, path: DataPath, { source, found }: Reading): Promise<void> {
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

/** The names that the earlier program gave gates in its results. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}
