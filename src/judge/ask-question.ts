import { AssayError, asAssayError } from '../domain/errors.ts';
import { type Fault, faultOf } from '../domain/outcome.ts';
import type { ModelMessage, ModelReply } from '../models/model.ts';
import { encodeData } from './encode-data.ts';
import type { JudgeContext, Question } from './judge.ts';
import repairText from './prompts/repair.v1.md?raw';
import { type Spending, totalSpending } from './spending.ts';
import { templateOf } from './template.ts';

const repairPrompt = templateOf(repairText);

/** What came of a question: a conclusion, or a fault and the reply that could not be read. */
export type Asked<Conclusion> = Spending &
  (
    | { readonly conclusion: Conclusion; readonly fault?: undefined }
    | { readonly fault: Fault; readonly raw: string | undefined }
  );

/** Asks a question, and once more with what was wrong when the reply cannot be read. Rejects only when aborted. */
export async function askQuestion<Conclusion>(
  question: Question<Conclusion>,
  context: JudgeContext,
): Promise<Asked<Conclusion>> {
  const replies: ModelReply[] = [];
  const ask = async (messages: readonly ModelMessage[]) => {
    replies.push(await context.model.generate(requestOf(question, messages, context), context.signal));
    const text = replies.at(-1)?.text ?? '';
    return { text, reading: question.read(text) };
  };
  const opening: ModelMessage = { role: 'user', content: question.user };
  try {
    const first = await ask([opening]);
    if (first.reading.isReadable) return { conclusion: first.reading.value, ...totalSpending(replies) };
    const second = await ask([opening, ...repair(first.text, first.reading.problem)]);
    if (second.reading.isReadable) return { conclusion: second.reading.value, ...totalSpending(replies) };
    const error = new AssayError('JUDGE_UNREADABLE', `The judge's reply could not be read: ${second.reading.problem}`);
    return { fault: faultOf(error), raw: second.text, ...totalSpending(replies) };
  } catch (thrown) {
    if (context.signal.aborted) throw thrown;
    return { fault: faultOf(asAssayError(thrown)), raw: replies.at(-1)?.text, ...totalSpending(replies) };
  }
}

function requestOf(question: Question<unknown>, messages: readonly ModelMessage[], context: JudgeContext) {
  return {
    system: question.system,
    messages,
    output: question.output,
    temperature: context.temperature ?? 0,
    maxOutputTokens: question.maxOutputTokens,
    seed: context.seed,
  };
}

/** An empty reply is left out of the conversation: providers refuse messages without content. */
function repair(replyText: string, problem: string): ModelMessage[] {
  const said: ModelMessage[] = replyText.trim() === '' ? [] : [{ role: 'assistant', content: replyText }];
  return [...said, { role: 'user', content: repairPrompt({ problem: encodeData(problem) }) }];
}
