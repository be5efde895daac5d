import type { McpAnswer } from '../../drive/mcp/session.ts';
import { grouped } from '../../shared/format.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { withNumbers } from '../../shared/json-digits.ts';
import { internalError, invalidParams } from '../../shared/json-rpc.ts';
import { TooMuchWork } from '../../shared/json-schema/walk.ts';
import type { Defect, Probe } from '../arguments/call-arguments.ts';
import type { CheckableSchema } from '../arguments/schema-parts.ts';
import type { RequestFinding, RuleText } from '../definitions/rule.ts';
import {
  isRefusal,
  readsLikeError,
  refusalText,
  resultDefect,
  shownArguments,
  shownMessage,
  showsInternals,
} from '../session/answer-text.ts';
import { behaviours } from '../session/behaviours.ts';
import { missingNeed } from '../session/failure-cause.ts';
import { findingsOf } from '../session/request-findings.ts';
import type { RequestEnd } from '../session/server-under-check.ts';

const words: Readonly<Record<Defect, (argument: string) => string>> = {
  missing: (argument) => `Without the required ${argument}`,
  'wrong-type': (argument) => `With a wrong type for ${argument}`,
  'not-in-enum': (argument) => `With a value for ${argument} that its \`enum\` does not have`,
  'out-of-range': (argument) => `With a value for ${argument} that is out of range`,
  extra: (argument) => `With ${argument}, which the schema does not allow`,
  empty: () => 'Without any arguments',
  'huge-text': (argument) => `With a text of 100,000 characters for ${argument}`,
};

/** How the valid calls of the tool were answered. */
interface ValidCalls {
  readonly wasGood: boolean;
  readonly refusals: ReadonlySet<string>;
}

/** Problems of the answer to a call that should have been refused, or at least survived. */
export function judgeProbe(probe: Probe, end: RequestEnd, valid: ValidCalls): readonly RequestFinding[] {
  const what = `${words[probe.defect](`\`${probe.argument}\``)}, ${shownArguments(probe.args)}`;
  const unanswered = probe.isInvalid ? behaviours.invalidCallUnanswered : behaviours.callTimedOut;
  return findingsOf(what, end, unanswered, (answer) => {
    if (isRefusal(answer)) return judgeProbeRefusal(probe, answer, what, valid);
    if (!probe.isInvalid) return [];
    // The content of such a result is not known, so it has not accepted anything.
    const defect = resultDefect(answer);
    if (defect !== undefined) return [malformedFinding(what, defect)];
    // A refusal without `isError` is one: whatever the tool is about, these arguments were wrong.
    if (readsLikeError(answer, '')) {
      const cause = shownMessage(refusalText(answer));
      return [{ rule: behaviours.errorNotMarked, message: `${what}: ${cause}`, cause }];
    }
    const rule = probe.defect === 'extra' ? behaviours.extraArgumentAccepted : behaviours.invalidArgumentsAccepted;
    return [{ rule, message: `${what}: accepted.` }];
  });
}

function judgeProbeRefusal(probe: Probe, answer: McpAnswer, what: string, valid: ValidCalls): RequestFinding[] {
  const text = refusalText(answer);
  const message = `${what}: ${shownMessage(text)}`;
  const rules = [
    showsInternals(text) ? behaviours.errorShowsInternals : undefined,
    probe.isInvalid ? unclearRefusal(probe, answer, text, valid) : undefined,
  ];
  return rules.flatMap((rule) => (rule === undefined ? [] : [{ rule, message }]));
}

function unclearRefusal(
  { argument }: Probe,
  answer: McpAnswer,
  text: string,
  { wasGood, refusals }: ValidCalls,
): RuleText | undefined {
  // A refusal that valid calls get too is not about the arguments, nor is one about the network.
  if (refusals.has(text) || missingNeed(text) !== undefined) return undefined;
  if (answer.kind === 'error' && answer.code === internalError) return behaviours.invalidArgumentsInternalError;
  // Where valid arguments are refused as well, the refusal may be about something else.
  if (!wasGood || argument === undefined) return undefined;
  return text.toLowerCase().includes(argument.toLowerCase()) ? undefined : behaviours.errorNamesNoArgument;
}

type Result = Readonly<Record<string, unknown>>;

const largestBytes = 100_000;
const mostOfRefusal = 2_000;

/** A call whose arguments fit the schema of the tool. */
interface ValidCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly end: RequestEnd;
  /** Undefined for a tool without one, or with one that cannot be used. */
  readonly outputSchema: CheckableSchema | undefined;
  readonly hasOutputSchema: boolean;
  /** Whether a refusal may be right, though the arguments fit the schema. */
  readonly mayBeRight: (refusal: string) => boolean;
}

/** Problems of the answer to a valid call. */
export function judgeValidCall(call: ValidCall): readonly RequestFinding[] {
  const what = `With ${shownArguments(call.args)}`;
  return findingsOf(what, call.end, behaviours.callTimedOut, (answer) => {
    if (isRefusal(answer)) return judgeRefusal(answer, what, call.mayBeRight);
    if (readsLikeError(answer, call.tool, call.args)) {
      const cause = shownMessage(refusalText(answer));
      return [{ rule: behaviours.errorNotMarked, message: `${what}: ${cause}`, cause }];
    }
    return answer.kind === 'result' ? judgeResult(answer, what, call) : [];
  });
}

function judgeRefusal(answer: McpAnswer, what: string, mayBeRight: ValidCall['mayBeRight']): RequestFinding[] {
  const text = refusalText(answer);
  const cause = `${answer.kind === 'error' ? `${answer.code} ` : ''}${shownMessage(text)}`;
  const message = `${what}: ${cause}`;
  const internals = showsInternals(text) ? [{ rule: behaviours.errorShowsInternals, message }] : [];
  return [...internals, { rule: refusalRule(answer, text, mayBeRight(text)), message, cause }];
}

function refusalRule(answer: McpAnswer, text: string, mayBeRight: boolean): RuleText {
  if (missingNeed(text) !== undefined) return behaviours.serverNeedMissing;
  // The SDK of the server refuses to send what the tool returned.
  if (/\binvalid tools\/call result\b/i.test(text)) return behaviours.resultMalformed;
  if (isOfSchema(text)) return mayBeRight ? behaviours.callFailed : behaviours.validArgumentsRefused;
  // The code for wrong parameters: what generated arguments name does not exist.
  const isAboutArguments = answer.kind === 'error' && answer.code === invalidParams;
  return answer.kind === 'error' && !isAboutArguments ? behaviours.callProtocolError : behaviours.callFailed;
}

/** Whether a refusal is one that a schema can say beforehand, and not about what the arguments name. */
function isOfSchema(text: string): boolean {
  return /input validation error|invalid_type|invalid_enum|too_(?:small|big)|\bexpected \w+, received\b|\bunrecognized key|\b(?:is|are) required\b|\bmust (?:be (?:provided|specified|given|an? \w+|one of|at (?:least|most)|between|less|greater|[<>])|have|match|contain)\b|\bmissing required\b/i.test(
    text.slice(0, mostOfRefusal),
  );
}

function malformedFinding(what: string, defect: string): RequestFinding {
  return { rule: behaviours.resultMalformed, message: `${what}: ${defect}`, cause: defect };
}

function judgeResult(
  answer: Extract<McpAnswer, { kind: 'result' }>,
  what: string,
  { outputSchema, hasOutputSchema }: ValidCall,
): RequestFinding[] {
  const { result } = answer;
  const defect = resultDefect(answer);
  const mismatch = outputSchema && mismatchOf(result.structuredContent, outputSchema);
  const bytes = outputBytes(result);
  return [
    ...(defect === undefined ? [] : [malformedFinding(what, defect)]),
    ...(mismatch === undefined ? [] : [{ rule: behaviours.outputSchemaMismatch, message: `${what}: ${mismatch}` }]),
    ...(hasOutputSchema || !isData(result)
      ? []
      : [{ rule: behaviours.outputSchemaMissing, message: `${what}: JSON as text.` }]),
    ...(bytes <= largestBytes ? [] : [{ rule: behaviours.outputLarge, message: `${what}: ${grouped(bytes)} bytes.` }]),
  ];
}

/** Whether a result is the text of one JSON object, or of a list of them. */
function isData({ content }: Result): boolean {
  const [block, ...others] = Array.isArray(content) ? content.filter(isRecord) : [];
  if (block === undefined || others.length > 0 || typeof block.text !== 'string') return false;
  const value = parseJson(block.text);
  return isRecord(value) || (Array.isArray(value) && value.some(isRecord));
}

function mismatchOf(structured: unknown, schema: CheckableSchema): string | undefined {
  if (structured === undefined) return 'there is no `structuredContent`, though the tool has an `outputSchema`.';
  try {
    const asWritten = schema.problemsIn(structured);
    // Integers beyond 2^53 keep their digits as texts, which schemas take for texts.
    const asNumbers = asWritten.length === 0 ? [] : schema.problemsIn(withNumbers(structured));
    const [first, ...others] = asNumbers.length === 0 ? [] : asWritten;
    if (first === undefined) return undefined;
    return `${shownMessage(first)}${others.length > 0 ? `, and ${others.length} more` : ''}`;
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

/** The size of what a model would be given. */
export function outputBytes({ content, structuredContent }: Result): number {
  return Buffer.byteLength(JSON.stringify(content ?? structuredContent ?? null));
}
