import type { Random } from './random.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Which number is wanted where the schema leaves a choice; limits are tried only where the schema has them. */
export type NumberChoice = 'usual' | 'lowest' | 'highest' | 'any';

/** A number within the limits of a schema. */
export function sampleNumber(schema: Schema, isInteger: boolean, choice: NumberChoice, random: Random): number {
  const step = typeof schema.multipleOf === 'number' ? schema.multipleOf : isInteger ? 1 : undefined;
  const { low, high } = limits(schema, step);
  if (choice === 'lowest' && low !== undefined) return onStep(low, step, Math.ceil);
  if (choice === 'highest' && high !== undefined) return onStep(high, step, Math.floor);
  if (choice === 'any') {
    const from = low ?? Math.min(0, high ?? 0);
    const to = high ?? from + 10;
    const chosen = from + random() * (Math.min(to, from + 1_000) - from);
    return onStep(chosen, step ?? undefined, Math.floor, low);
  }
  const wanted = Math.min(Math.max(1, low ?? 1), high ?? Number.MAX_VALUE);
  return onStep(wanted, step, low !== undefined && wanted <= low ? Math.ceil : Math.floor, low);
}

function limits(schema: Schema, step: number | undefined): { low: number | undefined; high: number | undefined } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const next = step ?? nextTo(schema);
  const lows = [
    numeric(minimum) && exclusiveMinimum === true ? minimum + next : minimum,
    numeric(exclusiveMinimum) ? exclusiveMinimum + next : undefined,
  ].filter(numeric);
  const highs = [
    numeric(maximum) && exclusiveMaximum === true ? maximum - next : maximum,
    numeric(exclusiveMaximum) ? exclusiveMaximum - next : undefined,
  ].filter(numeric);
  return {
    low: lows.length > 0 ? Math.max(...lows) : undefined,
    high: highs.length > 0 ? Math.min(...highs) : undefined,
  };
}

/** A step that stays inside of narrow limits. */
function nextTo({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): number {
  const low = [minimum, exclusiveMinimum].find(numeric);
  const high = [maximum, exclusiveMaximum].find(numeric);
  return low !== undefined && high !== undefined ? Math.min(0.5, (high - low) / 4) : 0.5;
}

function onStep(value: number, step: number | undefined, round: (value: number) => number, low?: number): number {
  if (step === undefined) return value;
  const rounded = Number((round(value / step) * step).toPrecision(15));
  return low !== undefined && rounded < low ? Number((Math.ceil(low / step) * step).toPrecision(15)) : rounded;
}

function numeric(value: unknown): value is number {
  return typeof value === 'number';
}
