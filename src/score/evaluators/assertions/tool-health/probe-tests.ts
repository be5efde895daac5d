import { AssayError } from '../../../../domain/errors.ts';
import type { Probe } from '../../../../domain/mcp/probes.ts';
import type { ToolError } from '../../../../domain/tool-error.ts';
import { containsText } from '../../../../domain/tools/tool-meaning.ts';
import type { TraceEventOf } from '../../../../domain/trace.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord, textsIn } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { exchangesOf, listedItems, type ObservedTest } from './observed-tests.ts';
import { promptText } from './prompt-tests.ts';
import { messageDifference, refuseAbsentFeature } from './reply-checks.ts';
import { answerText, observedCalls, refuse, textOfAnswer } from './sampling-tests.ts';
import { errorInWords, fail, type Judged, jsonText, pass, timeOf } from './test-verdict.ts';

/** All observations of one probe. */
interface ObservedProbe {
  readonly answer: { readonly result?: unknown; readonly error?: ToolError | undefined };
  /** The answer in words, as the rest of a sentence. */
  readonly words: string;
  /** Sampling requests of the server meanwhile. */
  readonly requests: readonly TraceEventOf<'mcp-exchange'>[];
  /** Whether a text is in the answer. */
  holds(text: string): boolean;
}

/** A part of a test that is not as expected, or that could not be observed. */
type Problem = { readonly failure: string } | { readonly unobserved: string };

/** Judges calls during which the server must send sampling requests. */
export function judgeSamplingProbes(observed: ObservedTest, probes: readonly Probe[]): Judged {
  const calls = observedCalls(observed).map(({ answer, requests }): ObservedProbe | string => {
    if (!answer) return 'no answer of the tool is on record';
    const words = `the tool ${answerText(answer)}`;
    if (requests.length === 0) return `the server sent no sampling request; ${words}`;
    return { answer, words, requests, holds: (text) => containsText(textOfAnswer(answer), text) };
  });
  return judgeProbes(observed, probes, calls);
}

/** Judges a prompt that was requested with one set of arguments after the other. */
export function judgePromptProbes(observed: ObservedTest, probes: readonly Probe[]): Judged {
  refuseUnknownPrompt(observed, probes);
  const gets = exchangesOf(observed, 'prompts/get').map((answer): ObservedProbe => {
    const text = promptText(answer.result);
    const words = answer.error ? `the server failed: ${errorInWords(answer.error)}` : `the prompt is ${jsonText(text)}`;
    // A text that was changed in any way is not there as it was given.
    return { answer, words, requests: [], holds: (part) => text.includes(part) };
  });
  return judgeProbes(observed, probes, gets);
}

/** A failure decides; a part that could not be observed keeps the rest from being a pass. */
function judgeProbes(
  { ended }: ObservedTest,
  probes: readonly Probe[],
  observed: readonly (ObservedProbe | string)[],
): Judged {
  let unobserved: string | undefined;
  for (const [index, probe] of probes.entries()) {
    const problem = problemOf(probe, observed[index] ?? 'no answer is on record');
    if (problem && 'failure' in problem) return fail(`${probe.about}: ${problem.failure}`);
    if (problem) unobserved ??= `${probe.about}: ${problem.unobserved}`;
  }
  if (unobserved !== undefined) refuse(unobserved);
  return pass(`${counted(probes.length, 'request')} as expected in ${timeOf(ended)}`);
}

/** A prompt that the server does not have refuses everything; so does one that is given nothing of a hostile input. */
function refuseUnknownPrompt(observed: ObservedTest, probes: readonly Probe[]): void {
  const pages = exchangesOf(observed, 'prompts/list');
  const mustRefuse = probes.some(({ expected }) => expected.kind === 'answer' && expected.must === 'refuse');
  if (!mustRefuse || pages.length === 0 || pages.some(({ error }) => error)) return;
  const names = listedItems(pages, 'prompts').map(({ name }) => String(name));
  const { subject } = observed.test;
  if (names.includes(subject)) return;
  const hint = names.length > 0 ? suggestion(subject, names) : undefined;
  throw new AssayError('MCP_FEATURE_ABSENT', `The server has no prompt "${subject}".`, { hint });
}

function problemOf({ problem, expected }: Probe, observed: ObservedProbe | string): Problem | undefined {
  if (problem !== undefined) return { unobserved: problem };
  if (typeof observed === 'string') return { unobserved: observed };
  // No answer is neither a refusal nor a result.
  if (observed.answer.error?.code === 'MCP_SERVER_TIMEOUT') return { failure: observed.words };
  switch (expected.kind) {
    case 'request':
      return problemOfRequest(expected, observed);
    case 'data':
      return problemOfData(expected, observed);
    case 'answer':
      return problemOfAnswer(expected, observed);
  }
}

type Expected<Kind extends Probe['expected']['kind']> = Extract<Probe['expected'], { kind: Kind }>;

function problemOfRequest(
  { messages, isRefused }: Expected<'request'>,
  { answer, words, requests }: ObservedProbe,
): Problem | undefined {
  const differences = requests.map(({ params }) => messageDifference(messages, messagesOf(params)));
  const matching = differences.filter((difference) => difference === undefined).length;
  if (matching === 0) return { unobserved: `the server sent another request: ${differences[0]}` };
  if (!isRefused) return answer.error ? { failure: `it was approved, and ${words}` } : undefined;
  return matching > 1 ? { failure: `the server sent the refused request ${matching} times` } : undefined;
}

function messagesOf(params: unknown): unknown[] {
  return isRecord(params) && Array.isArray(params.messages) ? params.messages : [];
}

function problemOfData({ texts, isSent }: Expected<'data'>, { requests }: ObservedProbe): Problem | undefined {
  const sent = requests.flatMap(({ params }) => textsIn(params)).join('\n');
  const odd = texts.find((text) => containsText(sent, text) !== isSent);
  if (odd === undefined) return undefined;
  return { failure: `the server ${isSent ? 'did not send' : 'sent'} ${jsonText(odd)} to the model` };
}

function problemOfAnswer({ must, texts, isSent }: Expected<'answer'>, observed: ObservedProbe): Problem | undefined {
  const { answer, words } = observed;
  if (answer.error && must === 'refuse') refuseAbsentFeature(answer.error);
  if (!answer.error && must === 'refuse') return { failure: `expected an error, and ${words}` };
  if (answer.error) return must === 'answer' ? { failure: `expected a result, and ${words}` } : undefined;
  const odd = texts.find((text) => observed.holds(text) !== isSent);
  if (odd === undefined) return undefined;
  return { failure: `expected a result ${isSent ? 'that contains' : 'without'} ${jsonText(odd)}, and ${words}` };
}
