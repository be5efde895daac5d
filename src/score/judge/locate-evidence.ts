import type { JudgeAnswer, JudgeResult } from '../../domain/judge-result.ts';
import type { Trace } from '../../domain/trace.ts';
import { isRecord } from '../../shared/json.ts';

type NewName = (event: string) => string;

/**
 * The same answer with the events of its evidence named by their place in the whole trace. A judge is shown the part of
 * a trace that says something about its question, and counts the events that it sees.
 */
export function locateEvidence<Result extends JudgeResult>(result: Result, count: Trace, whole: Trace): Result {
  if (count.length === whole.length) return result;
  const places = new Map(whole.map((event, index) => [event, index]));
  const name: NewName = (event) => {
    const prompted = count[Number(/^e(\d+)$/.exec(event)?.[1]) - 1];
    const place = prompted && places.get(prompted);
    return place === undefined ? event : `e${place + 1}`;
  };
  const { panel } = result;
  return { ...located(result, name), ...(panel && { panel: panel.map((answer) => located(answer, name)) }) };
}

function located<Answer extends JudgeAnswer>(answer: Answer, name: NewName): Answer {
  const { criteria, response, fault, reason } = answer;
  const inText = (text: string): string => text.replace(/\(event (e\d+)\)/g, (_, event) => `(event ${name(event)})`);
  return {
    ...answer,
    reason: inText(reason),
    ...(fault && { fault: { ...fault, message: inText(fault.message) } }),
    ...(criteria && {
      criteria: criteria.map((one) => ({
        ...one,
        reason: inText(one.reason),
        evidence: renamed(one.evidence, name),
      })),
    }),
    ...(isRecord(response) &&
      Array.isArray(response.evidence) && { response: { ...response, evidence: renamed(response.evidence, name) } }),
  };
}

function renamed<Quote>(evidence: readonly Quote[], name: NewName): Quote[] {
  return evidence.map((quote) =>
    isRecord(quote) && typeof quote.event === 'string' ? { ...quote, event: name(quote.event) } : quote,
  );
}
