import type { ExpectedCount } from '../../../../domain/mcp/feature-suites.ts';
import type { SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import { differenceOfValues } from '../../../../domain/tools/tool-meaning.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { exchangesOf, listedItems, type ObservedTest } from './observed-tests.ts';
import { judgeReply } from './reply-checks.ts';
import { fail, type Judged, jsonText, timeOf } from './test-verdict.ts';

/** Judges a list of what a server has: how many there are, and whether those that are expected are among them. */
export function judgeList(
  observed: ObservedTest<SuiteTestOf<'resource-list' | 'prompt-list'>>,
  items: 'resources' | 'prompts',
  expected: readonly (string | Record<string, unknown>)[] = [],
): Judged {
  const { ended, test } = observed;
  const pages = exchangesOf(observed, `${items}/list`);
  const listed = listedItems(pages, items);
  const names = listed.flatMap(({ uri, name }) => [uri, name].filter((one) => typeof one === 'string'));
  return judgeReply(test.spec, pages.at(-1), ended, {
    value: names,
    check: () => judgeCount(test.spec.expectedCount, listed.length, items) ?? judgeItems(expected, listed, names),
    summary: `${counted(listed.length, items.slice(0, -1))} in ${timeOf(ended)}`,
  });
}

/** The protocol allows no more in one answer. */
const mostValues = 100;

/** Judges the values that a server offers for an argument. */
export function judgeCompletion(observed: ObservedTest<SuiteTestOf<'completion'>>): Judged {
  const { test, ended } = observed;
  const answer = exchangesOf(observed, 'completion/complete').at(-1);
  const completion = isRecord(answer?.result) ? answer.result.completion : undefined;
  const listed = isRecord(completion) ? completion.values : undefined;
  const values: unknown[] = Array.isArray(listed) ? listed : [];
  const { expectedValues = [], expectedCount } = test.spec;
  const missing = expectedValues.find((value) => !values.includes(value));
  const check = (): Judged | undefined => {
    if (!Array.isArray(listed)) return fail(`The answer has no \`completion.values\`: ${jsonText(answer?.result)}`);
    if (values.length > mostValues)
      return fail(`The answer has ${values.length} values, the protocol allows ${mostValues}`);
    const odd = judgeCount(expectedCount, values.length, 'values');
    if (odd || missing === undefined) return odd;
    return fail(`Expected ${jsonText(missing)} among the values, got ${jsonText(values)}`);
  };
  const summary = `${counted(values.length, 'value')} in ${timeOf(ended)}`;
  return judgeReply(test.spec, answer, ended, { value: values, check, summary });
}

/** Fails where there are fewer or more than expected. */
function judgeCount(expected: ExpectedCount | undefined, count: number, items: string): Judged | undefined {
  if (expected === undefined) return undefined;
  const exact = typeof expected === 'number' ? expected : expected.exact;
  const { min = 0, max = Number.POSITIVE_INFINITY } =
    exact === undefined ? (expected as Exclude<ExpectedCount, number>) : { min: exact, max: exact };
  if (count >= min && count <= max) return undefined;
  const wanted = min === max ? String(min) : max === Number.POSITIVE_INFINITY ? `${min} or more` : `${min} to ${max}`;
  return fail(`Expected ${wanted} ${items}, got ${count}`);
}

function judgeItems(
  expected: readonly (string | Record<string, unknown>)[],
  items: readonly Record<string, unknown>[],
  names: readonly string[],
): Judged | undefined {
  const missing = expected.find((one) =>
    typeof one === 'string'
      ? !names.includes(one)
      : !items.some((item) => differenceOfValues(one, item, 'subset') === undefined),
  );
  if (missing === undefined) return undefined;
  const hint = typeof missing === 'string' && names.length > 0 ? `. ${suggestion(missing, names)}` : '';
  return fail(`The server does not list ${jsonText(missing)}${hint}`);
}
