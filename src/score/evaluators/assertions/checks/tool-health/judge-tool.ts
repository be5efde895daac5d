import type { SuiteTestOf } from '../../../../../domain/suite-test.ts';
import { meaningOfResult } from '../../../../../domain/tool-meaning.ts';
import { suggestion } from '../../../../../shared/suggest.ts';
import { judgeError, judgeLatency, judgeResult, judgeSuccess } from './judge-reply.ts';
import { fail, type Judged, pass, shown, timeOf } from './judged.ts';
import type { OutputSchemas } from './output-schemas.ts';
import type { SeenTest } from './seen-tests.ts';

/** Judges one call of a tool: how long it took first, then what came of it, then what the tool promises. */
export function judgeTool(
  seen: SeenTest<SuiteTestOf<'tool'>>,
  server: { readonly outputs: OutputSchemas; readonly toolNames: readonly string[] },
): Judged {
  const judged = judgeCall(seen, server.outputs);
  const { subject } = seen.test;
  if (server.toolNames.includes(subject)) return judged;
  const missing = `The server has no tool \`${subject}\`. ${suggestion(subject, server.toolNames)}`;
  return {
    ...judged,
    details: judged.state === 'fail' ? `${missing} ${judged.details}` : `${judged.details}. ${missing}`,
  };
}

function judgeCall({ test: { spec }, ended, answer }: SeenTest<SuiteTestOf<'tool'>>, outputs: OutputSchemas): Judged {
  if (!answer) return fail('No answer is on record');
  const decided =
    judgeError(spec, answer, ended) ??
    judgeLatency(spec, ended) ??
    judgeResult(spec, answer.result, ended) ??
    judgeSuccess(spec, meaningOfResult(answer.result), ended);
  if (decided) return decided;
  const output = outputs.check(spec.name, answer.result);
  if (output?.problem !== undefined) return fail(`${output.problem} (${timeOf(ended)})`);
  const said = spec.expectedResult === undefined ? 'The call succeeded' : 'Answered as expected';
  const remark = output?.remark === undefined ? '' : `; ${output.remark}`;
  return pass(`${said} in ${timeOf(ended)}: ${shown(meaningOfResult(answer.result))}${remark}`);
}
