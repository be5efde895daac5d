import { messageText } from '../../../domain/message.ts';
import { messagesOf } from '../../../domain/messages-of-trace.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { lastAnswer, type Trace } from '../../../domain/trace.ts';
import { eachTracedTrial } from '../../../keep/store/store.ts';
import { wellFormed } from '../../../shared/text.ts';
import type { StoredRun } from '../reporter.ts';

/** A trial as files of other programs have it. */
export interface TrialContent {
  readonly record: TrialRecord;
  readonly trace: Trace;
  /** The first message to the agent, or the input of a tool that was called directly; undefined where there is none. */
  readonly input: unknown;
  /** The last message of the agent, or the answer of the tool as JSON. */
  readonly output: string;
}

/** Trials of a run with their traces; one trace at a time is in memory. */
export async function* trialContents({ store, summary }: StoredRun): AsyncGenerator<TrialContent, void> {
  for await (const { record, readTrace } of eachTracedTrial(store, summary.run.runId)) {
    yield trialContent(record, await readTrace());
  }
}

export function trialContent(record: TrialRecord, trace: Trace): TrialContent {
  return { record, trace, input: inputOf(trace), output: wellFormed(outputOf(trace)) };
}

function inputOf(trace: Trace): unknown {
  const message = messagesOf(trace).find(({ role }) => role === 'user');
  if (message) return messageText(message);
  const call = trace.find((event) => event.type === 'tool-call');
  return call?.seenBy === 'engine' ? call.input : undefined;
}

function outputOf(trace: Trace): string {
  const message = messagesOf(trace).findLast(({ role }) => role === 'assistant');
  if (message) return messageText(message);
  const answer = lastAnswer(trace);
  return answer ? (JSON.stringify(answer.error ?? answer.result) ?? '') : '';
}

/** Text of an input: texts as they are, other values as JSON. */
export function inputText(input: unknown): string {
  return wellFormed(typeof input === 'string' ? input : (JSON.stringify(input) ?? ''));
}
