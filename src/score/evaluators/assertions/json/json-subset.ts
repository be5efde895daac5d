import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { jsonEquals, showJson } from '../../../../shared/exact-json.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import { judgeText, verdict } from '../text/answer-text.ts';
import { judgeJson } from './answer-json.ts';

const configSchema = () =>
  z.strictObject({
    subset: z
      .unknown()
      .optional()
      .describe(
        "what the answer's JSON must hold: objects may have more keys, arrays have the same items in the same order; by default the `expected` of the case",
      ),
  });

type JsonSubsetConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer's JSON holds at least what is given. */
export const jsonSubset = defineEvaluator({
  type: 'json-subset',
  label: 'JSON Subset',
  kind: 'assertion',
  summary: "the answer's JSON contains the given values, and may contain more",
  example: { subset: { status: 'booked', guests: 2 } },
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema,
  when: () => 'eventually',
  prepare: checkJsonSubset,
});

function checkJsonSubset({ subset }: JsonSubsetConfig): Evaluate<'assertion'> {
  return (context) =>
    judgeText(context, (text) => {
      const wanted = subset ?? context.trial.case.expected;
      if (wanted === undefined) {
        throw new AssayError('CRITERION_UNUSABLE', 'No expected values are set.', {
          hint: 'Set `subset` in the config of the evaluator, or `expected` of the case.',
        });
      }
      return judgeJson(text, (value) => {
        const difference = firstDifference(wanted, value, '$');
        if (difference === undefined) return verdict(true, 'The answer contains all expected values');
        return verdict(false, `The answer does not contain the expected values: ${shortened(difference)}`);
      });
    });
}

/** Recursion is safe: `judgeJson` limits the depth of the answer. */
function firstDifference(wanted: unknown, value: unknown, place: string): string | undefined {
  if (Array.isArray(wanted)) return differenceOfLists(wanted, value, place);
  if (isRecord(wanted)) return differenceOfObjects(wanted, value, place);
  return jsonEquals(wanted, value) ? undefined : `${place} is ${showJson(value)}, wanted ${showJson(wanted)}`;
}

function differenceOfLists(wanted: readonly unknown[], value: unknown, place: string): string | undefined {
  if (!Array.isArray(value)) return `${place} is ${showJson(value)}, wanted an array`;
  if (value.length !== wanted.length)
    return `${place} has ${counted(value.length, 'item')}, wanted ${counted(wanted.length, 'item')}`;
  return firstFound(wanted, (item, index) => firstDifference(item, value[index], `${place}[${index}]`));
}

function differenceOfObjects(wanted: Record<string, unknown>, value: unknown, place: string): string | undefined {
  if (!isRecord(value)) return `${place} is ${showJson(value)}, wanted an object`;
  return firstFound(Object.entries(wanted), ([key, part]) => {
    const inner = /^[A-Za-z_]\w*$/.test(key) ? `${place}.${key}` : `${place}[${JSON.stringify(key)}]`;
    if (!Object.hasOwn(value, key)) return `${inner} is missing, wanted ${showJson(part)}`;
    return firstDifference(part, value[key], inner);
  });
}

function firstFound<Item>(items: readonly Item[], look: (item: Item, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const found = look(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
