import { canonicalJson, isRecord } from '../../shared/json.ts';
import { TooMuchWork } from '../../shared/json-schema/references.ts';
import type { CheckableSchema } from './checkable-schema.ts';
import type { Random } from './random.ts';
import { type Fill, NoSample, ValueSampler } from './value-sampler.ts';

export type Arguments = Readonly<Record<string, unknown>>;

const fills: readonly Fill[] = ['minimal', 'full', 'lowest', 'highest'];
const triesPerCall = 4;

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
  for (const fill of fills) add(sampled(sampler, schema.schema, fill));
  for (let tries = most * triesPerCall; found.size < most && tries > 0; tries--)
    add(sampled(sampler, schema.schema, 'random'));
  return [...found.values()];
}

function sampled(sampler: ValueSampler, schema: unknown, fill: Fill): unknown {
  try {
    // The arguments of a tool are always an object, whatever else the schema allows.
    return sampler.sample(isRecord(schema) ? { ...schema, type: 'object' } : { type: 'object' }, fill);
  } catch (error) {
    if (error instanceof NoSample) return undefined;
    throw error;
  }
}

/** Whether a value fits, as far as that can be told with reasonable effort. */
export function fits({ problemsIn }: CheckableSchema, value: unknown): boolean {
  try {
    return problemsIn(value).length === 0;
  } catch (error) {
    if (error instanceof TooMuchWork) return false;
    throw error;
  }
}
