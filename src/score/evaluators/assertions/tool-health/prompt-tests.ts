import { AssayError } from '../../../../domain/errors.ts';
import type { PromptTest } from '../../../../domain/mcp/feature-suites.ts';
import { containsText } from '../../../../domain/tools/tool-meaning.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { exchangesOf, listedItems, type ObservedTest } from './observed-tests.ts';
import {
  contentText,
  judgeError,
  judgeLatency,
  judgePattern,
  judgeSuccess,
  messageDifference,
  refuseAbsentFeature,
} from './reply-checks.ts';
import { errorInWords, fail, type Judged, jsonText, pass, timeOf } from './test-verdict.ts';

/** Judges what a prompt became. */
export function judgePrompt(observedTest: ObservedTest, spec: PromptTest): Judged {
  const { ended } = observedTest;
  const got = exchangesOf(observedTest, 'prompts/get').at(-1);
  if (!got) return fail('No answer is on record');
  const messages = messagesOf(got.result);
  return (
    judgeError(spec, got, ended) ??
    judgeLatency(spec, ended) ??
    judgeMessages(spec, messages) ??
    judgeSuccess(spec, messages, ended) ??
    pass(`${counted(messages.length, 'message')} in ${timeOf(ended)}`)
  );
}

function messagesOf(result: unknown): readonly unknown[] {
  return isRecord(result) && Array.isArray(result.messages) ? result.messages : [];
}

function textOf(messages: readonly unknown[]): string {
  return messages.map((message) => (isRecord(message) ? contentText(message.content) : '')).join('\n');
}

function judgeMessages(spec: PromptTest, messages: readonly unknown[]): Judged | undefined {
  const text = textOf(messages);
  const missing = [spec.expectedContent ?? []].flat().find((wanted) => !containsText(text, wanted));
  if (missing !== undefined) return fail(`Expected a prompt that contains ${jsonText(missing)}, got ${jsonText(text)}`);
  const difference = messageDifference(spec.expectedMessages ?? [], messages);
  if (difference !== undefined) return fail(difference);
  for (const pattern of spec.expectedPatterns ?? []) {
    const odd = judgePattern(pattern, text);
    if (odd) return odd;
  }
  const odd = spec.validateStructure ? messages.find((message) => !isWellFormed(message)) : undefined;
  if (odd !== undefined) return fail(`A message is not well formed: ${jsonText(odd)}`);
  return spec.validateStructure && messages.length === 0 ? fail('The prompt has no messages') : undefined;
}

function isWellFormed(message: unknown): boolean {
  if (!isRecord(message) || (message.role !== 'user' && message.role !== 'assistant')) return false;
  return isRecord(message.content) && typeof message.content.type === 'string';
}

/** Judges a prompt that was requested with one set of arguments after the other. */
export function judgeProbes(observedTest: ObservedTest): Judged {
  const { ended } = observedTest;
  const probes: unknown[] = Array.isArray(ended.observed) ? ended.observed : [];
  const answers = exchangesOf(observedTest, 'prompts/get');
  if (ended.timedOut) return fail(`Not every request was answered in time (${timeOf(ended)})`);
  refuseUnknownPrompt(observedTest, probes);
  for (const [index, probe] of probes.entries()) {
    const problem = isRecord(probe) ? problemOf(probe, answers[index]) : undefined;
    if (problem !== undefined) return fail(`${jsonText(isRecord(probe) ? probe.about : index)}: ${problem}`);
  }
  return pass(`${counted(probes.length, 'request')} answered as wanted in ${timeOf(ended)}`);
}

/** A prompt that the server does not have refuses everything; so does one that is given nothing of a hostile input. */
function refuseUnknownPrompt(observedTest: ObservedTest, probes: readonly unknown[]): void {
  const pages = exchangesOf(observedTest, 'prompts/list');
  const mustRefuse = probes.some((probe) => isRecord(probe) && probe.mustBeRefused === true);
  if (!mustRefuse || pages.length === 0 || pages.some(({ error }) => error)) return;
  const names = listedItems(pages, 'prompts').map(({ name }) => String(name));
  const { subject } = observedTest.test;
  if (names.includes(subject)) return;
  const hint = names.length > 0 ? suggestion(subject, names) : undefined;
  throw new AssayError('MCP_FEATURE_ABSENT', `The server has no prompt "${subject}".`, { hint });
}

function problemOf(
  { mustBeRefused, texts, mustHoldTexts }: Record<string, unknown>,
  answer: ReturnType<typeof exchangesOf>[number] | undefined,
): string | undefined {
  if (!answer) return 'no answer is on record';
  const { error, result } = answer;
  if (mustBeRefused === true && error) refuseAbsentFeature(error);
  if (mustBeRefused === true && !error) return `expected a refusal, got ${jsonText(textOf(messagesOf(result)))}`;
  if (mustBeRefused === false && error) return `expected a prompt, got the error ${errorInWords(error)}`;
  if (error || !Array.isArray(texts)) return undefined;
  const text = textOf(messagesOf(result));
  const odd = texts.map(String).find((part) => text.includes(part) !== (mustHoldTexts === true));
  if (odd === undefined) return undefined;
  return mustHoldTexts ? `${jsonText(odd)} is not in the prompt` : `${jsonText(odd)} is in the prompt as it was given`;
}
