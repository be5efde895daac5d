import { type JudgeInput, type ReportedResult, readActualResult } from '../../domain/judge-protocol.ts';
import { lastAnswer, type Trace, toolErrorSchema } from '../../domain/trace.ts';
import { isRecord } from '../../shared/json.ts';
import type { JudgeSubject } from './judge.ts';

const callId = 'call';

/** An input of the boolean judge protocol as something any mode can be asked about: one call and its answer. */
export function protocolSubject({ testScenario, actualResult }: JudgeInput): JudgeSubject {
  const { result, error } = readActualResult(actualResult);
  const { expectedBehavior } = testScenario;
  const toolError = toolErrorSchema.safeParse(error);
  const seen = { at: 0, seenBy: 'engine' } as const;
  return {
    name: testScenario.name,
    task: testScenario.name,
    references: expectedBehavior === undefined ? [] : [{ name: 'expectedBehavior', text: expectedBehavior }],
    failedGates: [],
    trace: [
      { type: 'tool-call', ...seen, callId, tool: testScenario.name, input: testScenario.input },
      {
        type: 'tool-result',
        ...seen,
        callId,
        durationMs: 0,
        result,
        ...(toolError.success ? { error: toolError.data } : {}),
      },
    ],
  };
}

/** The last call of a trace as the variables that criteria use. */
export function protocolAnswerOf(trace: Trace): ReportedResult & { readonly input?: Record<string, unknown> } {
  const answered = trace.findLast((event) => event.type === 'tool-result');
  const call = trace.findLast(
    (event) => event.type === 'tool-call' && answered?.type === 'tool-result' && event.callId === answered.callId,
  );
  const input = call?.type === 'tool-call' && isRecord(call.input) ? { input: call.input } : {};
  const answer = lastAnswer(trace);
  return { result: answer?.result, error: answer?.error, ...input };
}
