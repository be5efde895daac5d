import type { Loss } from '../../../domain/loss.ts';
import type { Message, MessageToolCall } from '../../../domain/message.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { toolCall } from '../wire/messages.ts';
import type { StreamReader } from '../wire/streamed-answer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message while its pieces arrive. */
interface Growing {
  readonly id: string;
  readonly role: string;
  text: string;
  readonly calls: GrowingCall[];
  /** Of the result of a tool. */
  readonly callId?: string;
  isOpen: boolean;
}

interface GrowingCall {
  readonly id: string;
  readonly name: string;
  args: string;
  isOpen: boolean;
}

const ofRuns = ['answers', 'tool-calls', 'tool-results'] as const;

/** Events about steps, state and thoughts, which hold no words to the user and no calls. */
const passedOver = /^(?:RUN_STARTED|STEP_|STATE_|ACTIVITY_|THINKING_|REASONING_|SUBAGENT_|RAW$|CUSTOM$)/;

/** The events of one run, which becomes the messages that are new in it. */
export class AguiRunReader implements StreamReader {
  readonly gaps: Loss[] = [];
  /** Why the run failed, in its own words. */
  error: string | undefined;
  interrupts: readonly Fields[] = [];
  readonly #sent: ReadonlySet<string>;
  readonly #messages = new Map<string, Growing>();
  readonly #calls = new Map<string, GrowingCall>();
  #isOver = false;
  #count = 0;
  #lastId: string | undefined;

  /** `sent` has the ids of the messages that the run began with. */
  constructor(sent: ReadonlySet<string>) {
    this.#sent = sent;
  }

  add(piece: string): boolean {
    this.#count++;
    const event = parseJson(piece);
    const type = isRecord(event) ? event.type : undefined;
    if (!isRecord(event) || typeof type !== 'string') {
      this.#lose('an event is not an object with a type');
      return false;
    }
    if (this.#isOver) this.#lose('an event came after the end of the run');
    const handler = this.#handlers[type];
    if (handler) handler(event);
    else if (!passedOver.test(type)) this.#lose(`an event has the unknown type ${type}`);
    return type.startsWith('TEXT_MESSAGE_') && typeof event.delta === 'string' && event.delta !== '';
  }

  /** The new messages; to be called after the last event. */
  finish(): Message[] {
    if (!this.#isOver) this.#lose('the stream ended before the run did');
    for (const { isOpen, id, role, text, calls } of this.#messages.values()) {
      if (isOpen) this.#lose(`the message ${id} has no end`);
      else if (role === 'assistant' && text === '' && calls.length === 0) this.#lose(`the message ${id} has no words`);
    }
    for (const { isOpen, id, args } of this.#calls.values()) {
      if (isOpen || (args !== '' && parseJson(args) === undefined))
        this.#lose(`the arguments of the call ${id} are incomplete`);
    }
    return [...this.#messages.values()].flatMap(messageOf);
  }

  /** The tool and the arguments of a call, by its id. */
  callOf(id: unknown): { readonly tool: string; readonly args: unknown } | undefined {
    const call = this.#calls.get(String(id));
    return call && { tool: call.name, args: parseJson(call.args) ?? call.args };
  }

  readonly #handlers: Readonly<Record<string, (event: Fields) => void>> = {
    TEXT_MESSAGE_START: (event) => this.#start(event),
    TEXT_MESSAGE_CONTENT: (event) => this.#grow(this.#messages.get(String(event.messageId)), event),
    TEXT_MESSAGE_END: (event) => this.#end(this.#messages.get(String(event.messageId))),
    TEXT_MESSAGE_CHUNK: (event) => this.#chunk(event),
    TOOL_CALL_START: (event) => this.#startCall(event),
    TOOL_CALL_ARGS: (event) => this.#growCall(this.#calls.get(String(event.toolCallId)), event),
    TOOL_CALL_END: (event) => this.#end(this.#calls.get(String(event.toolCallId))),
    TOOL_CALL_CHUNK: (event) => this.#callChunk(event),
    TOOL_CALL_RESULT: (event) => this.#result(event),
    MESSAGES_SNAPSHOT: (event) => this.#snapshot(event.messages),
    RUN_FINISHED: (event) => this.#finished(event),
    RUN_ERROR: ({ message }) => {
      this.#isOver = true;
      this.error = typeof message === 'string' ? message : 'it gives no reason';
    },
  };

  #start({ messageId, role = 'assistant' }: Fields): void {
    const id = typeof messageId === 'string' ? messageId : this.#unnamed('a message has no id');
    if (this.#messages.has(id)) this.#lose(`two messages have the id ${id}`);
    else this.#messages.set(id, { id, role: String(role), text: '', calls: [], isOpen: true });
    this.#lastId = id;
  }

  #grow(message: Growing | undefined, { delta }: Fields): void {
    if (!message?.isOpen || typeof delta !== 'string') this.#lose('a piece of text belongs to no open message');
    else message.text += delta;
  }

  #chunk(event: Fields): void {
    const id = typeof event.messageId === 'string' ? event.messageId : this.#lastId;
    if (id === undefined || !this.#messages.has(id)) this.#start({ ...event, messageId: id ?? 'chunk-1' });
    const message = this.#messages.get(this.#lastId ?? '');
    if (event.delta !== undefined) this.#grow(message && reopened(message), event);
    if (message) message.isOpen = false;
  }

  #startCall({ toolCallId, toolCallName, parentMessageId }: Fields): void {
    const id = typeof toolCallId === 'string' ? toolCallId : this.#unnamed('a tool call has no id');
    if (typeof toolCallName !== 'string') this.#lose('a tool call names no tool');
    if (this.#calls.has(id)) {
      this.#lose(`two calls have the id ${id}`);
      return;
    }
    const call = { id, name: String(toolCallName ?? 'unknown'), args: '', isOpen: true };
    this.#calls.set(id, call);
    const parent = typeof parentMessageId === 'string' ? parentMessageId : `calls-${id}`;
    const message = this.#messages.get(parent);
    if (message) message.calls.push(call);
    else this.#messages.set(parent, { id: parent, role: 'assistant', text: '', calls: [call], isOpen: false });
  }

  #growCall(call: GrowingCall | undefined, { delta }: Fields): void {
    if (!call?.isOpen || typeof delta !== 'string') this.#lose('a piece of arguments belongs to no open call');
    else call.args += delta;
  }

  #callChunk(event: Fields): void {
    const id = String(event.toolCallId);
    if (!this.#calls.has(id)) this.#startCall(event);
    const call = this.#calls.get(id);
    if (event.delta !== undefined) this.#growCall(call && reopened(call), event);
    if (call) call.isOpen = false;
  }

  #end(part: { isOpen: boolean } | undefined): void {
    if (part?.isOpen) part.isOpen = false;
    else this.#lose('a message or a call that is not open has an end');
  }

  #result({ messageId, toolCallId, content }: Fields): void {
    const id = typeof messageId === 'string' ? messageId : `result-${String(toolCallId)}`;
    if (typeof toolCallId !== 'string' || content === undefined) {
      this.#lose('a result has no call or no content');
      return;
    }
    if (this.#messages.has(id)) {
      this.#lose(`two messages have the id ${id}`);
      return;
    }
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    this.#messages.set(id, { id, role: 'tool', text, calls: [], callId: toolCallId, isOpen: false });
  }

  /** A snapshot repeats the conversation; a message that came in no other way is read from it. */
  #snapshot(messages: unknown): void {
    if (!Array.isArray(messages)) {
      this.#lose('a snapshot has no messages');
      return;
    }
    for (const message of messages) {
      const { id, role, content, toolCalls, toolCallId } = isRecord(message) ? message : {};
      if (typeof id !== 'string' || typeof role !== 'string')
        this.#lose('a message of a snapshot has no id or no role');
      else if ((role === 'assistant' || role === 'tool') && !this.#messages.has(id) && !this.#sent.has(id)) {
        const text = typeof content === 'string' ? content : '';
        const calls = (Array.isArray(toolCalls) ? toolCalls : []).flatMap((call) => this.#listedCall(call));
        // Calls that were streamed are in another message here.
        if (text === '' && calls.length === 0) continue;
        const callId = typeof toolCallId === 'string' ? { callId: toolCallId } : {};
        this.#messages.set(id, { id, role, text, calls, ...callId, isOpen: false });
      }
    }
  }

  #listedCall(listed: unknown): GrowingCall[] {
    const { id, function: called } = isRecord(listed) ? listed : {};
    const { name, arguments: args } = isRecord(called) ? called : {};
    if (typeof id !== 'string' || typeof name !== 'string' || typeof args !== 'string') {
      this.#lose('a call of a snapshot cannot be read');
      return [];
    }
    if (this.#calls.has(id)) return [];
    const call = { id, name, args, isOpen: false };
    this.#calls.set(id, call);
    return [call];
  }

  #finished({ outcome }: Fields): void {
    this.#isOver = true;
    if (outcome === undefined || outcome === null) return;
    const { type, interrupts } = isRecord(outcome) ? outcome : {};
    if (type === 'success') return;
    const listed = Array.isArray(interrupts) ? interrupts : [];
    const readable = listed.filter(isRecord).filter(({ id }) => typeof id === 'string');
    if (type !== 'interrupt') this.#lose(`the run has the unknown outcome ${String(type)}`);
    else if (readable.length === 0 || readable.length < listed.length)
      this.gaps.push({ channels: [...ofRuns, 'approvals'], reason: 'an interrupt cannot be read', place: this.#place });
    this.interrupts = readable;
  }

  get #place(): string {
    return `event ${this.#count}`;
  }

  #unnamed(loss: string): string {
    this.#lose(loss);
    return `unnamed-${this.#count}`;
  }

  #lose(reason: string): void {
    this.gaps.push({ channels: [...ofRuns], reason, place: this.#place });
  }
}

/** Chunks carry their own beginning and end. */
function reopened<Part extends { isOpen: boolean }>(part: Part): Part {
  part.isOpen = true;
  return part;
}

/** Words of others than the assistant and its tools are not an answer. */
function messageOf({ id, role, text, calls, callId }: Growing): Message[] {
  if (callId !== undefined) return [{ id, role: 'tool', content: text, tool_call_id: callId }];
  if (role !== 'assistant' || (text === '' && calls.length === 0)) return [];
  const listed = calls.map(
    ({ id: call, name, args }): MessageToolCall => toolCall(call, name, args === '' ? '{}' : args),
  );
  return [{ id, role: 'assistant', content: text, ...(listed.length > 0 && { tool_calls: listed }) }];
}
