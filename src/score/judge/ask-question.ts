import { UnansweredRequests } from '../../domain/costs.ts';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import { type JudgeSpending, totalSpending } from '../../domain/judge-result.ts';
import { type Fault, faultOf } from '../../domain/outcome.ts';
import type { ModelMessage, ModelReply } from '../../drive/models/model.ts';
import { encodeData } from '../../drive/models/prompting/encode-data.ts';
import type { Reading } from '../../drive/models/prompting/read-reply.ts';
import { templateOf } from '../../drive/models/prompting/template.ts';
import type { JudgeContext, Question } from './judge.ts';
import repairText from './prompts/repair.v2.md?raw';

/** Cost and tokens of model calls; a request without a reply may have cost anything. */
function spendingOf(replies: readonly ModelReply[], unansweredRequests: number): JudgeSpending {
  const answered = totalSpending(replies.map(({ usage, costUsd }) => ({ usage, costUsd })));
  return unansweredRequests === 0 ? answered : { ...answered, costUsd: null, unansweredRequests };
}

const repairPrompt = templateOf(repairText);

/** Outcome of a question: a conclusion, or a fault and the reply that could not be read. */
export type QuestionOutcome<Conclusion> = JudgeSpending &
  (
    | { readonly conclusion: Conclusion; readonly fault?: undefined }
    | { readonly fault: Fault; readonly raw: string | undefined }
  );

/**
 * Asks a question, and once more when the reply cannot be used: with what was wrong, or with a higher limit when the
 * reply was cut. Never sent a third time. Rejects only when aborted.
 */
export async function askQuestion<Conclusion>(
  question: Question<Conclusion>,
  context: JudgeContext,
): Promise<QuestionOutcome<Conclusion>> {
  const replies: ModelReply[] = [];
  const unanswered = new UnansweredRequests();
  const spent = (): JudgeSpending => spendingOf(replies, unanswered.count);
  const limit = context.maxOutputTokens ?? question.maxOutputTokens;
  const ask = async (messages: readonly ModelMessage[], maxOutputTokens = limit) => {
    const request = requestOf(question, messages, context, maxOutputTokens);
    const reply = await context.model.generate(request, context.signal, unanswered);
    replies.push(reply);
    return { reply, reading: unlessQuoted(question, question.read(reply.text)), maxOutputTokens };
  };
  const opening: ModelMessage = {
    role: 'user',
    content: question.user,
    ...(context.files && { files: context.files }),
  };
  try {
    const first = await ask([opening]);
    if (isSettled(first)) return concluded(first, spent());
    const second = isCut(first.reply)
      ? await ask([opening], 2 * limit)
      : await ask([opening, ...repair(first.reply.text, problemOf(first), context.redact)]);
    return concluded(second.reading.isReadable || !first.reading.isReadable ? second : first, spent());
  } catch (thrown) {
    if (context.signal.aborted) throw thrown;
    return { fault: judgesFault(thrown), raw: replies.at(-1)?.text, ...spent() };
  }
}

/** The fault of a judge whose model failed: neither the agent nor its model is to blame. */
export function judgesFault(thrown: unknown): Fault {
  const fault = faultOf(asAssayError(thrown));
  return fault.blame === 'model' ? { ...fault, blame: 'judge' } : fault;
}

/** A verdict among other words is the judge's own only where the prompt does not hold it: an agent can write one too. */
function unlessQuoted<Conclusion>({ user }: Question<unknown>, reading: Reading<Conclusion>): Reading<Conclusion> {
  if (!reading.isReadable || reading.amongWords === undefined) return reading;
  if (!bareText(user).includes(bareText(reading.amongWords))) return reading;
  return { isReadable: false, problem: 'its only JSON is quoted from the prompt' };
}

/** Without blanks, and without the escapes of JSON in JSON. */
function bareText(text: string): string {
  return text.replace(/[\s\\]/g, '');
}

interface Attempt<Conclusion> {
  readonly reply: ModelReply;
  readonly reading: Reading<Conclusion>;
  readonly maxOutputTokens: number;
}

/** Whether asking again is of no use: the reply is as it should be, or it is a refusal. */
function isSettled({ reply, reading }: Attempt<unknown>): boolean {
  return reading.isReadable ? reading.complaint === undefined : isRefusal(reply);
}

function concluded<Conclusion>(attempt: Attempt<Conclusion>, spent: JudgeSpending): QuestionOutcome<Conclusion> {
  const { reply, reading, maxOutputTokens } = attempt;
  if (reading.isReadable) return { conclusion: reading.value, ...spent };
  return {
    fault: faultOf(unreadable(reply, reading.problem, maxOutputTokens)),
    raw: reply.text,
    ...spent,
  };
}

function unreadable(reply: ModelReply, problem: string, maxOutputTokens: number): AssayError {
  if (isRefusal(reply)) {
    return new AssayError('JUDGE_REFUSED', 'The judge refused to answer (content filter of its provider).');
  }
  if (isCut(reply)) {
    const message = `The judge's reply was cut off at its limit of ${maxOutputTokens} output tokens.`;
    return new AssayError('JUDGE_REPLY_CUT', message);
  }
  return new AssayError('JUDGE_UNREADABLE', `The judge's reply could not be read: ${problem}`);
}

function isCut({ finishReason }: ModelReply): boolean {
  return finishReason === 'length';
}

function isRefusal({ finishReason }: ModelReply): boolean {
  return finishReason === 'content-filter';
}

function problemOf({ reading }: Attempt<unknown>): string {
  return reading.isReadable ? (reading.complaint ?? '') : reading.problem;
}

function requestOf(
  question: Question<unknown>,
  messages: readonly ModelMessage[],
  context: JudgeContext,
  maxOutputTokens: number,
) {
  return {
    system: question.system,
    repeatsSystem: true,
    messages,
    output: question.output,
    temperature: context.temperature === null ? undefined : (context.temperature ?? 0),
    maxOutputTokens,
    seed: context.seed,
  };
}

/** An empty reply is left out of the conversation: providers refuse messages without content. */
function repair(replyText: string, problem: string, redact: JudgeContext['redact']): ModelMessage[] {
  const earlier: ModelMessage[] = replyText.trim() === '' ? [] : [{ role: 'assistant', content: redact(replyText) }];
  return [...earlier, { role: 'user', content: repairPrompt({ problem: encodeData(redact(problem)) }) }];
}
