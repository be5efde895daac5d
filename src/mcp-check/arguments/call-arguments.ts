import { canonicalJson, isRecord } from '../../shared/json.ts';
import type { Random } from '../../shared/seeded-random.ts';
import { argumentsOf, type ToolArgument } from '../definitions/tool-arguments.ts';
import { type CheckableSchema, fits } from './schema-parts.ts';
import { type Fill, NoSample, SampleTooLarge, ValueSampler } from './value-sampler.ts';

export type Arguments = Readonly<Record<string, unknown>>;

const fills: readonly Fill[] = ['minimal', 'full', 'lowest', 'highest'];
const triesPerCall = 4;
/** A large sample costs time: after as many that were too large, no further one is tried. */
const mostTooLarge = 3;

/** Up to `most` different sets of arguments that fit a schema: those that are known first, then the usual, then limits. */
export function validArguments(
  schema: CheckableSchema,
  most: number,
  random: Random,
  known: readonly Arguments[] = [],
): Arguments[] {
  const sampler = new ValueSampler(schema.schema, random);
  const found = new Map<string, Arguments>();
  const add = (value: unknown): void => {
    if (found.size < most && isRecord(value) && fits(schema, value)) found.set(canonicalJson(value), value);
  };
  for (const args of known) add(args);
  const examples = isRecord(schema.schema) ? schema.schema.examples : undefined;
  for (const example of Array.isArray(examples) ? examples : []) add(example);
  let tooLarge = 0;
  const addSample = (fill: Fill): void => {
    if (tooLarge === mostTooLarge) return;
    try {
      add(sampled(sampler, schema.schema, fill));
    } catch (error) {
      if (!(error instanceof SampleTooLarge)) throw error;
      tooLarge++;
    }
  };
  for (const fill of fills) addSample(fill);
  for (let tries = most * triesPerCall; found.size < most && tries > 0; tries--) addSample('random');
  return [...found.values()];
}

function sampled(sampler: ValueSampler, schema: unknown, fill: Fill): unknown {
  try {
    // The arguments of a tool are always an object, whatever else the schema allows.
    return sampler.sample(isRecord(schema) ? { ...schema, type: 'object' } : { type: 'object' }, fill);
  } catch (error) {
    if (error instanceof NoSample && !(error instanceof SampleTooLarge)) return undefined;
    throw error;
  }
}

/** The deliberate defect of a set of arguments. */
export type Defect = 'missing' | 'wrong-type' | 'not-in-enum' | 'out-of-range' | 'extra' | 'empty' | 'huge-text';

/** Arguments that a server should refuse, or at least survive. */
export interface Probe {
  readonly defect: Defect;
  readonly argument: string | undefined;
  readonly args: Arguments;
  /** False for what the schema allows, such as a huge text. */
  readonly isInvalid: boolean;
}

const mostOfEach = 3;
const hugeCharacters = 100_000;
/** The name of an argument that no tool has. */
const strangeName = 'assay_unknown_argument';

/** Arguments that break a schema in one place each, made of arguments that fit it. */
export function invalidArguments(schema: CheckableSchema, valid: Arguments): Probe[] {
  const args = argumentsOf({ inputSchema: schema.schema });
  const required = args.filter(({ isRequired }) => isRequired);
  const byNeed = [...required, ...args.filter(({ isRequired }) => !isRequired)];
  const candidates: Probe[] = [
    ...required.slice(0, mostOfEach).map(({ name }) => probe('missing', name, without(valid, name))),
    ...byNeed.flatMap((argument) => wrongTypes(argument, valid, schema)).slice(0, mostOfEach),
    ...byNeed.flatMap((argument) => notInEnum(argument, valid)).slice(0, 1),
    ...byNeed.flatMap((argument) => outOfRange(argument, valid)).slice(0, 1),
    probe('extra', strangeName, { ...valid, [strangeName]: true }),
    probe('empty', undefined, {}),
    ...byNeed.flatMap((argument) => hugeText(argument, valid)).slice(0, 1),
  ];
  const visited = new Set<string>();
  return candidates.flatMap((candidate) => {
    const key = canonicalJson(candidate.args);
    const isInvalid = fits(schema, candidate.args) === false;
    if (visited.has(key) || (!isInvalid && candidate.defect !== 'huge-text')) return [];
    visited.add(key);
    return [{ ...candidate, isInvalid }];
  });
}

function probe(defect: Defect, argument: string | undefined, args: Arguments): Probe {
  return { defect, argument, args, isInvalid: true };
}

function without(args: Arguments, name: string): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([key]) => key !== name));
}

/** One value of a wrong type; those come first that no server can mean to convert. */
function wrongTypes({ name }: ToolArgument, valid: Arguments, schema: CheckableSchema): Probe[] {
  const values: readonly unknown[] = [{ unexpected: true }, 'not what is expected', [['unexpected']], 12_345.5];
  const wrong = values.find((value) => fits(schema, { ...valid, [name]: value }) === false);
  return wrong === undefined ? [] : [probe('wrong-type', name, { ...valid, [name]: wrong })];
}

function notInEnum({ name, schemas }: ToolArgument, valid: Arguments): Probe[] {
  const isEnum = schemas.some((schema) => Array.isArray(schema.enum));
  return isEnum ? [probe('not-in-enum', name, { ...valid, [name]: 'no-such-value' })] : [];
}

function outOfRange({ name, schemas }: ToolArgument, valid: Arguments): Probe[] {
  const maximum = schemas.map((schema) => schema.maximum).find((value) => typeof value === 'number');
  const minimum = schemas.map((schema) => schema.minimum).find((value) => typeof value === 'number');
  if (maximum !== undefined) return [probe('out-of-range', name, { ...valid, [name]: maximum + 1 })];
  return minimum === undefined ? [] : [probe('out-of-range', name, { ...valid, [name]: minimum - 1 })];
}

function hugeText({ name, schemas }: ToolArgument, valid: Arguments): Probe[] {
  const isText = schemas.some(({ type }) => type === 'string');
  const isFree = !schemas.some((schema) => ['enum', 'const', 'pattern', 'format'].some((keyword) => keyword in schema));
  return isText && isFree ? [probe('huge-text', name, { ...valid, [name]: 'x'.repeat(hugeCharacters) })] : [];
}
