import * as z from 'zod';
import { type Outcome, outcomeSchema } from '../../../domain/outcome.ts';
import { type Variant, variantSchema } from '../../../domain/variant.ts';
import { Refusal } from '../refusal.ts';

const outcomesSchema = z.array(outcomeSchema).max(10);

/** The outcomes in a list that is separated by commas. */
export function outcomesIn(text: string | undefined): Outcome[] | undefined {
  if (!text) return undefined;
  const parsed = outcomesSchema.safeParse(text.split(',').map((part) => part.trim()));
  if (parsed.success) return parsed.data;
  throw wrong('outcome', `Name some of ${outcomeSchema.options.join(', ')}.`);
}

/** The variant that is written as JSON. */
export function variantIn(text: string | undefined): Variant | undefined {
  if (!text) return undefined;
  try {
    return z.strictObject(variantSchema.shape).parse(JSON.parse(text));
  } catch {
    throw wrong('variant', 'A variant is written as JSON, such as {"model":"openai/gpt-4o-mini"}.');
  }
}

function wrong(name: string, hint: string): Refusal {
  return new Refusal(400, 'REQUEST_INVALID', `\`${name}\` in the query of the request is wrong.`, { hint });
}
