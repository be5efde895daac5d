import type { SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { judgeCount } from './list-tests.ts';
import { exchangesOf, type ObservedTest } from './observed-tests.ts';
import { judgeError, judgeLatency, judgeSuccess } from './reply-checks.ts';
import { fail, type Judged, jsonText, pass, timeOf } from './test-verdict.ts';

/** The protocol allows no more in one answer. */
const mostValues = 100;

/** Judges the values that a server offers for an argument. */
export function judgeCompletion(observed: ObservedTest<SuiteTestOf<'completion'>>): Judged {
  const { test, ended } = observed;
  const answer = exchangesOf(observed, 'completion/complete').at(-1);
  if (!answer) return fail('No answer is on record');
  const refused = judgeError(test.spec, answer, ended) ?? judgeLatency(test.spec, ended);
  if (refused) return refused;
  const completion = isRecord(answer.result) ? answer.result.completion : undefined;
  const values = isRecord(completion) ? completion.values : undefined;
  if (!Array.isArray(values)) return fail(`The answer has no \`completion.values\`: ${jsonText(answer.result)}`);
  if (values.length > mostValues)
    return fail(`The answer has ${values.length} values, the protocol allows ${mostValues}`);
  const missing = test.spec.expectedValues?.find((value) => !values.includes(value));
  return (
    judgeSuccess(test.spec, values, ended) ??
    judgeCount(test.spec.expectedCount, values.length, 'values') ??
    (missing === undefined
      ? undefined
      : fail(`Expected ${jsonText(missing)} among the values, got ${jsonText(values)}`)) ??
    pass(`${counted(values.length, 'value')} in ${timeOf(ended)}`)
  );
}
