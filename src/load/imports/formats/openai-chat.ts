import { readCounts } from '../../../drive/wire/reported-usage.ts';
import { contentKey } from '../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { isChatMessage } from '../chat-message.ts';
import { ChatTrial } from '../chat-trial.ts';
import { amountOf, type JsonObject, knownParts, nameOf, objectOf, wordsOf } from '../coerce.ts';
import type { SourceRecord } from '../document-parts.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { verdictIn } from '../score-verdict.ts';

/** Conversations as lists of messages: one message per line, one conversation per line, or one document. */
export const openaiChat: ImportFormat = {
  name: 'openai-chat',
  summary: 'chat messages of OpenAI or Anthropic, JSON or JSON Lines',
  reports: ['tool-calls'],
  recognises: (sample) =>
    someObject(sample, (object) => isChatMessage(object) || hasMessages(object)) ||
    sample.lines.some((line) => /^\s*\[\s*\{\s*"role"\s*:/.test(line)),
  async *read(source) {
    let open: OpenConversation | undefined;
    let count = 0;
    for await (const record of source.records()) {
      const { value, line, document } = record;
      if (isRecord(value) && hasMessages(value)) {
        if (open) yield open.finish(source);
        open = undefined;
        yield conversationIn(value, record, ++count, source);
      } else if (isChatMessage(value)) {
        // Lines of messages belong together, and so do the messages of one list.
        const group = record.isElement ? document : 0;
        if (open && open.group !== group) {
          yield open.finish(source);
          open = undefined;
        }
        open ??= new OpenConversation(source, line, group, group === 0 ? undefined : ++count);
        open.add(value, source.placeOf(line));
      } else source.lostPart(line, 'neither a message nor a conversation');
    }
    if (open) yield open.finish(source);
  },
};

function hasMessages(object: JsonObject): boolean {
  return [object.messages, objectOf(object.body).messages, object.conversation].some(
    (list) => Array.isArray(list) && list.some(isChatMessage),
  );
}

/** Messages that come one by one. */
class OpenConversation {
  readonly group: number;
  readonly #trial: ChatTrial;
  readonly #number: number | undefined;
  #model: string | undefined;

  constructor(source: ImportSource, line: number, group: number, number: number | undefined) {
    this.#trial = new ChatTrial(source, line);
    this.group = group;
    this.#number = number;
  }

  add(message: JsonObject, place: string): void {
    this.#model ??= nameOf(message.model);
    this.#trial.chat.add(message, place);
  }

  finish(source: ImportSource): ImportedTrial {
    const { collector, chat, place } = this.#trial;
    chat.finish();
    source.lossesInto(collector);
    // Lines of messages have no end: only an answer shows that nothing is missing after them.
    if (this.group === 0 && !chat.isAnswered)
      collector.lose(lost.everything, 'the conversation ends before an answer', place);
    return this.#trial.finish({
      caseId: this.#number === undefined || this.#number === 1 ? 'conversation' : `conversation-${this.#number}`,
      variant: knownParts({ model: this.#model }),
      durationMs: collector.durationMs,
    });
  }
}

function conversationIn(
  object: JsonObject,
  { line }: SourceRecord,
  number: number,
  source: ImportSource,
): ImportedTrial {
  const trial = new ChatTrial(source, line, object.created ?? object.created_at ?? object.timestamp);
  const { collector, chat, place } = trial;
  const messages = [object.messages, objectOf(object.body).messages, object.conversation].find(Array.isArray) ?? [];
  const answered = Array.isArray(object.choices) ? object.choices.slice(0, 1).map(answerIn) : [];
  trial.addAll([...messages, ...answered], (number) => `message ${number} of the conversation is not valid`);
  // The usage of a completion is that of its answer; of a whole conversation it is the sum over its answers.
  const figures = {
    usage: isRecord(object.usage) ? readCounts(object.usage) : { usage: undefined },
    costUsd: object.cost,
  };
  if (answered.length > 0) chat.addRequest(figures, place);
  else chat.addTotal(figures, place);
  chat.finish();
  const task = nameOf(object.task_id);
  const id = nameOf(object.case_id) ?? nameOf(object.custom_id) ?? nameOf(object.conversation_id) ?? nameOf(object.id);
  return trial.finish({
    id: id === undefined ? undefined : contentKey([source.file, canonicalJson(object)]),
    scenario: task,
    caseId: task === undefined ? (id ?? `conversation-${number}`) : 'task',
    repeat: repeatOf(object),
    variant: knownParts({
      agent: wordsOf(object.agent),
      model: nameOf(object.model) ?? nameOf(objectOf(object.body).model),
    }),
    verdict: verdictIn(object),
    durationMs: collector.durationMs,
    costUsd: amountOf(object.cost_usd),
  });
}

/** Whether an answer is whole is said beside it. */
function answerIn(choice: unknown): unknown {
  const { message, finish_reason } = objectOf(choice);
  return isRecord(message) ? { ...message, finish_reason } : message;
}

/** Attempts are counted from 0 by some and from 1 by others; only their differences count. */
function repeatOf(object: JsonObject): number | undefined {
  const trial = amountOf(object.trial);
  if (trial !== undefined && Number.isInteger(trial)) return trial + 1;
  const repeat = amountOf(object.repeat, object.attempt);
  return repeat !== undefined && Number.isInteger(repeat) && repeat >= 1 ? repeat : undefined;
}
