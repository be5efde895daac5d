import { readFileSync, rmSync } from 'node:fs';
import { AssayError } from '../../../domain/errors.ts';
import { counted } from '../../../shared/format.ts';
import { GrowingFile } from '../../../shared/redacted-files.ts';
import { redactedText } from '../../../shared/redaction/redacted.ts';
import { type Redact, redactedJson } from '../../../shared/redaction/redaction.ts';
import { type ComparedRequest, nearestCall } from '../../tape/nearest.ts';
import { type TrialFolders, TrialPaths } from '../../tape/trial-paths.ts';
import type { UpstreamReply } from '../upstream.ts';
import { type AgentRequest, type CallRequest, comparedRequest, isCall } from './agent-request.ts';
import { requestNormaliser } from './normalise-request.ts';
import { rememberingParts } from './remembered-parts.ts';
import { packedAfter, type TapedReply } from './tape.ts';
import { type PassedReply, replayedReply, tapedReplyOf } from './taped-reply.ts';
import {
  type AnsweredCall,
  type EarlierAttempts,
  keyOf,
  readTrialTape,
  type SentCall,
  type TrialTapeLine,
} from './trial-tape-lines.ts';

interface TrialTapeOptions {
  /** Absolute. */
  readonly file: string;
  /** Digest of what replies depend on beside their requests. */
  readonly setup: string;
  /** Why no later process may go on from this tape. */
  readonly cannot: string | undefined;
  readonly agentVersion: string | null;
  readonly folders: TrialFolders;
  readonly redact: Redact;
  readonly notice: (message: string) => void;
  /** Called with the calls that an attempt which is thrown away had repeated: they count again for the next one. */
  readonly onLeft: (repeated: readonly AnsweredCall[]) => void;
  /** Whether the trial was interrupted: what the agent does from then on is not what it would have done. */
  readonly isInterrupted: () => boolean;
}

/** Times of a call as the provider took them. */
export type CallTimes = Pick<AnsweredCall, 'durationMs' | 'timeToFirstTokenMs'>;

/** The reply to a call that was answered before its process ended. */
interface TapedAnswer {
  readonly times: CallTimes;
  send(signal: AbortSignal): Promise<UpstreamReply>;
}

/** Requests that further ones are written as differences to. */
const mostRecent = 4;

/**
 * The model calls of a trial while it runs, in a file that outlives its process: each reply is there before the agent has
 * all of it. The process that goes on with the trial answers from it, as long as the agent repeats its requests exactly.
 */
export class TrialTape {
  readonly #options: TrialTapeOptions;
  readonly #paths: TrialPaths;
  readonly #normalise: (value: unknown) => unknown;
  readonly #earlier: EarlierAttempts | undefined;
  /** Calls on the tape that were not requested again yet. */
  readonly #left: Set<AnsweredCall>;
  readonly #underWay: SentCall[];
  /** Of the calls of this process, by their numbers in the session. */
  readonly #compared = new Map<number, ComparedRequest>();
  readonly #places = new Map<number, number>();
  readonly #recent: { readonly number: number; readonly api: SentCall['api']; readonly request: ComparedRequest }[] =
    [];
  #file: GrowingFile | undefined;
  #sentCount: number;

  constructor(options: TrialTapeOptions) {
    const { file, folders, redact, agentVersion, setup, cannot } = options;
    this.#options = options;
    this.#paths = new TrialPaths(folders);
    this.#normalise = rememberingParts(requestNormaliser({ paths: this.#paths, redact, agentVersion }));
    const text = textOf(file);
    const read = readTrialTape(text);
    const isOther = read !== undefined && read.setup !== setup;
    this.#earlier = read && {
      ...read,
      cannot: read.cannot ?? (isOther ? 'the agent or its settings have changed' : cannot),
    };
    const goesOn = this.#earlier && this.#earlier.cannot === undefined ? this.#earlier : undefined;
    this.#left = new Set(goesOn?.answered);
    this.#underWay = [...(goesOn?.underWay ?? [])];
    this.#sentCount = goesOn?.sentCount ?? 0;
    this.#begin(goesOn ? text : undefined);
  }

  /** The attempts before, and why they are of no use; undefined where the trial begins here. */
  get earlier(): Pick<EarlierAttempts, 'answered' | 'underWay' | 'cannot'> | undefined {
    return this.#earlier;
  }

  /** Milliseconds that the provider took for the calls on the tape, those at the same time once. */
  get answeredMs(): number {
    let [sum, end] = [0, 0];
    for (const { at, durationMs } of [...this.#left].sort((a, b) => a.at - b.at)) {
      sum += Math.max(0, at + durationMs - Math.max(at, end));
      end = Math.max(end, at + durationMs);
    }
    return sum;
  }

  /** The reply on the tape; undefined where the provider has to reply. Throws where the agent took another path. */
  find(request: AgentRequest): TapedAnswer | undefined {
    if (!isCall(request)) return undefined;
    const compared = comparedRequest(request, this.#normalise);
    if (this.#left.size > 0) {
      const key = keyOf(request.call.api.name, compared);
      const next = this.#next();
      const found = next.find((call) => call.key === key);
      if (found) return this.#answer(found);
      const open = this.#underWay.findIndex((call) => call.key === key);
      if (open < 0) throw this.#leave(this.#differenceOf(request, compared, next));
      this.#underWay.splice(open, 1);
    }
    this.#compared.set(request.call.number, compared);
    return undefined;
  }

  /** To be called before a call goes to the provider. */
  begin({ call }: AgentRequest): void {
    const request = call && this.#compared.get(call.number);
    if (!call || !request || this.#options.isInterrupted()) return;
    this.#compared.delete(call.number);
    const sent = { number: ++this.#sentCount, api: call.api.name, request };
    this.#places.set(call.number, sent.number);
    this.#write({ sent: { ...sent, at: Date.now(), request: packedAfter(this.#recent, sent) } });
    this.#recent.push(sent);
    if (this.#recent.length > mostRecent) this.#recent.shift();
  }

  /** To be called when all of a reply has arrived, before the agent has its end. */
  note({ call }: AgentRequest, passed: PassedReply | 'too large', times: CallTimes): void {
    const number = call && this.#places.get(call.number);
    if (number === undefined || this.#options.isInterrupted()) return;
    this.#places.delete(call?.number ?? 0);
    const kept = passed === 'too large' ? { cannot: 'a reply is too large to be kept' } : this.#kept(passed);
    this.#write({ replied: { number, ...times, ...kept } });
  }

  /** To be called when the agent has ended: the error of one that ended before it had repeated all of its requests. */
  finish(): AssayError | undefined {
    const isOver = this.#options.isInterrupted() || this.#left.size === 0;
    const error = isOver
      ? undefined
      : this.#leave(`the agent ended without ${counted(this.#left.size, 'call')} on its tape`);
    this.#file?.[Symbol.dispose]();
    this.#file = undefined;
    return error;
  }

  /** The calls that may come next: all that had been answered when they were sent was answered here too. */
  #next(): AnsweredCall[] {
    const answered = this.#earlier?.answered ?? [];
    const first = answered.findIndex((call) => this.#left.has(call));
    return [...this.#left].filter(({ repliesBefore }) => repliesBefore <= first);
  }

  #answer(call: AnsweredCall): TapedAnswer {
    this.#left.delete(call);
    const { durationMs, timeToFirstTokenMs, reply } = call;
    return {
      times: { durationMs, ...(timeToFirstTokenMs !== undefined && { timeToFirstTokenMs }) },
      // It is the provider's own reply to this request of this trial.
      send: async (signal) => ({ ...(await replayedReply(reply, this.#paths, signal)), isReplayed: false }),
    };
  }

  #differenceOf({ call }: CallRequest, request: ComparedRequest, next: readonly AnsweredCall[]): string {
    const nearest = nearestCall(
      next.filter(({ api }) => api === call.api.name),
      request,
    );
    const changes = nearest ? nearest.changes.join(', ') : `its API, ${call.api.name}`;
    return `call ${call.number} of the agent differs from the one on its tape in ${changes}`;
  }

  /** The attempt that follows reads the reason. */
  #leave(reason: string): AssayError {
    const { file, redact, onLeft, isInterrupted } = this.#options;
    const clean = redact(reason);
    onLeft((this.#earlier?.answered ?? []).filter((call) => !this.#left.has(call)));
    if (!isInterrupted()) this.#write({ left: clean });
    // Without its reason, the next attempt would go on from it again.
    if (!isInterrupted() && !this.#file) this.#writing(() => rmSync(file, { force: true }));
    this.#left.clear();
    return new AssayError('TRIAL_NOT_REPEATED', `The trial cannot go on: ${clean}.`);
  }

  /** A reply without what the border took out of it cannot be given to the agent again. */
  #kept(passed: PassedReply): { readonly reply: TapedReply; readonly cannot?: string } {
    const { redact } = this.#options;
    const asIs = tapedReplyOf(passed, this.#paths, (text) => text);
    const reply = tapedReplyOf(passed, this.#paths, redact);
    const isWhole = redactedJson(reply, redact) === JSON.stringify(asIs);
    return isWhole ? { reply } : { reply, cannot: 'a secret was taken out of a reply before it was kept' };
  }

  /** Goes on with what is there, behind a line that was cut off; undefined where that is of no use. */
  #begin(text: string | undefined): void {
    const { file, setup, cannot } = this.#options;
    this.#writing(() => {
      if (text === undefined) rmSync(file, { force: true });
      this.#file = GrowingFile.continue(file);
      if (text !== undefined && !text.endsWith('\n')) this.#file.write(redactedText`\n`);
    });
    this.#write({ attempt: { version: 1, setup, ...(cannot !== undefined && { cannot }) } });
  }

  #write(line: TrialTapeLine): void {
    this.#writing(() => this.#file?.write(redactedText`${redactedJson(line, this.#options.redact)}\n`));
  }

  /** A tape that cannot be written ends there: its beginning is as good as before. */
  #writing(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#file?.[Symbol.dispose]();
      this.#file = undefined;
      const why = error instanceof Error ? error.message : String(error);
      this.#options.notice(`Model calls are not kept for --resume any more: ${why}`);
    }
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
